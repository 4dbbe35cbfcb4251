// How Python's arrays reach the core: as views, never converted or copied behind the caller's back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "base/types.hpp"
#include "data/rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace widemargin {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;  // read only
template <class T>
using InOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// Gives a vector to NumPy without a copy.
template <class T>
Out<T> to_numpy(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Out<T>(kept->data(), {kept->size()}, owner);
}

// Data rows with the arrays that hold them.
struct Rows {
  AnyRows view;
  std::vector<nb::object> owners;
};

// Looks for Ctrl-C, at most every 20 ms; throws if there was one. Needs no GIL when called.
void poll_signals();

void bind_base(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_online(nb::module_& m);

}  // namespace widemargin
