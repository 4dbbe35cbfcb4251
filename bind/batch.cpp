#include "solver/batch.hpp"

#include "arrays.hpp"
#include "base/error.hpp"

namespace widemargin {
namespace {

template <class T>
Span<const T> view(const In<T>& a) {
  return {a.data(), a.shape(0)};
}

nb::tuple pass(const Rows& rows, In<double> y, In<double> weight, In<Column> among, bool intercept, In<double> w,
               InOut<double> g, int threads) {
  const Index n = count(rows.view);
  const auto d1 = static_cast<std::size_t>(width(rows.view) + 1);
  if (static_cast<Index>(y.shape(0)) != n) fail("one label a row is needed");
  if (weight.shape(0) != 0 && static_cast<Index>(weight.shape(0)) != n) fail("one weight a row is needed");
  if (w.shape(0) != d1 || g.shape(0) != d1) fail("w and g must have d + 1 entries");
  for (const Column i : view(among))
    if (i < 0 || i >= n) fail("among names a row that is not there");
  BatchPass result;
  {
    nb::gil_scoped_release free;
    result = batch_pass({rows.view, y.data(), view(weight), view(among), intercept}, w.data(), g.data(), threads,
                        poll_signals);
  }
  return nb::make_tuple(result.wrong, result.wrong_weight, result.loss);
}

}  // namespace

void bind_batch(nb::module_& m) {
  m.def("batch_pass", &pass, "rows"_a, "y"_a.noconvert(), "weight"_a.noconvert(), "among"_a.noconvert(), "intercept"_a,
        "w"_a.noconvert(), "g"_a.noconvert(), "threads"_a = 1,
        "Fills g with the sum of s y [x, 1] over rows with y u <= 0 -> (wrong rows, their weight, sum of s (-y u)+).");
}

}  // namespace widemargin
