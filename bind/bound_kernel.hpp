// Rows prepared for blocks in float32, with the arrays that hold them.
#pragma once

#include <memory>

#include "arrays.hpp"
#include "kernel/panel.hpp"

namespace widemargin {

struct BoundKernelRows {
  nb::object owner;
  AnyRows view;
  KernelSpec spec;
  std::unique_ptr<KernelRows<float>> rows;
};

}  // namespace widemargin
