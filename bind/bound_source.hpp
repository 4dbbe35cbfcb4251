// Rows of kernel values with all that they come from.
#pragma once

#include <memory>
#include <vector>

#include "arrays.hpp"
#include "kernel/row_source.hpp"

namespace widemargin {

struct BoundSource {
  std::vector<nb::object> owners;
  std::unique_ptr<RowSource> source;
};

}  // namespace widemargin
