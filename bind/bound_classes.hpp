// The rows of each class, with the arrays that hold them.
#pragma once

#include "arrays.hpp"
#include "kernel/pair_source.hpp"

namespace widemargin {

struct BoundClasses {
  std::vector<nb::object> owners;
  std::unique_ptr<ClassRows> classes;
};

}  // namespace widemargin
