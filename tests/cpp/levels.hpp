// Every set of vector instructions that this CPU has, one after the other.
#pragma once

#include "base/simd.hpp"

namespace widemargin {

struct Restore {
  simd::Level before = simd::level();
  ~Restore() { simd::set_level(before); }
};

template <class Body>
void at_every_level(const Body& body) {
  const Restore restore;
  for (const auto level : {simd::Level::scalar, simd::Level::avx2, simd::Level::avx512}) {
    if (level > simd::detected()) continue;
    simd::set_level(level);
    body();
  }
}

}  // namespace widemargin
