#include "kernel/distances.hpp"

#include "arrays.hpp"
#include "base/error.hpp"

namespace widemargin {
namespace {

using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void block(const Rows& a, const Rows& b, int kind, double gamma, Matrix out, int threads) {
  if (static_cast<Index>(out.shape(0)) != count(a.view) || static_cast<Index>(out.shape(1)) != count(b.view))
    fail("the array for the block has another shape");
  const DistanceKind which = choice(kind, DistanceKind::chi_squared, "distance");
  nb::gil_scoped_release free;
  distance_block(a.view, b.view, which, gamma, out.data(), threads, poll_signals);
}

}  // namespace

void bind_distances(nb::module_& m) {
  m.def("distance_block", &block, "a"_a, "b"_a, "kind"_a, "gamma"_a, "out"_a.noconvert(), "threads"_a,
        "out = exp(-gamma distance(a, b)); kind is 0 Manhattan, 1 chi squared.");
}

}  // namespace widemargin
