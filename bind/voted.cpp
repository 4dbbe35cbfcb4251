#include "model/voted.hpp"

#include "arrays.hpp"
#include "base/error.hpp"

namespace widemargin {
namespace {

template <class T>
Span<const T> view(const In<T>& a) {
  return {a.data(), a.shape(0)};
}

void fill_products(const Rows& x, const Rows& z, Index begin, Index b, InOut<double> out, int threads) {
  if (width(x.view) != width(z.view)) fail("both sets of rows must have the same columns");
  if (begin < 0 || b < 0 || begin > count(z.view) || b > count(z.view) - begin) fail("the block lies outside the rows");
  if (static_cast<Index>(out.shape(0)) != count(x.view) * b) fail("one number a pair of rows is needed");
  nb::gil_scoped_release free;
  products(x.view, z.view, begin, b, out.data(), threads, poll_signals);
}

void votes(In<Column> at, In<double> step, In<double> life, bool intercept, In<double> products, InOut<double> u,
           InOut<double> vote, InOut<double> score) {
  const std::size_t b = u.shape(0);
  if (step.shape(0) != at.shape(0) || life.shape(0) != at.shape(0) + 1) fail("mistakes, steps and lives do not fit");
  if (vote.shape(0) != b || score.shape(0) != b) fail("one vote a row is needed");
  for (const Column i : view(at))
    if (i < 0 || (static_cast<std::size_t>(i) + 1) * b > products.shape(0))
      fail("a mistake names a row that is not there");
  nb::gil_scoped_release free;
  cast_votes({view(at), view(step), view(life), intercept}, products.data(), static_cast<Index>(b), u.data(),
             vote.data(), score.data());
}

}  // namespace

void bind_voted(nb::module_& m) {
  m.def("products", &fill_products, "x"_a, "z"_a, "begin"_a, "b"_a, "out"_a.noconvert(), "threads"_a = 1,
        "out[i b + k] = x_i . z_(begin + k).");
  m.def("cast_votes", &votes, "at"_a.noconvert(), "step"_a.noconvert(), "life"_a.noconvert(), "intercept"_a,
        "products"_a.noconvert(), "u"_a.noconvert(), "vote"_a.noconvert(), "score"_a.noconvert(),
        "Adds the votes and the scores of all vectors; u goes from the first vector's score to the last's.");
}

}  // namespace widemargin
