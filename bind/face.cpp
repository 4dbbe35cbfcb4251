#include "solver/face.hpp"

#include <algorithm>

#include "arrays.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"

namespace widemargin {
namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The problem's arrays, and where its values are.
struct Part {
  In<double> t, lower, upper;
  In<std::int8_t> group;
  InOut<double> b, f, offset;
  In<Column> place, column;
  BoxProblem problem;
  FaceValues values;
};

Part part_of(const nb::tuple& given, const Matrix& K, const std::vector<double>& total, double diagonal) {
  if (given.size() != 9) fail("a part has nine arrays");
  Part p{nb::cast<In<double>>(given[0]),
         nb::cast<In<double>>(given[1]),
         nb::cast<In<double>>(given[2]),
         nb::cast<In<std::int8_t>>(given[3]),
         nb::cast<InOut<double>>(given[4]),
         nb::cast<InOut<double>>(given[5]),
         nb::cast<InOut<double>>(given[6]),
         nb::cast<In<Column>>(given[7]),
         nb::cast<In<Column>>(given[8]),
         {},
         {}};
  const Index N = static_cast<Index>(p.t.shape(0)), n = static_cast<Index>(p.place.shape(0));
  const std::size_t of_N = p.t.shape(0), groups = p.offset.shape(0);
  if (N != n && N != 2 * n) fail("one or two variables an item are needed");
  if (p.lower.shape(0) != of_N || p.upper.shape(0) != of_N || p.b.shape(0) != of_N || p.f.shape(0) != p.place.shape(0))
    fail("the arrays of a part differ in length");
  if (p.group.shape(0) != 0 && p.group.shape(0) != of_N) fail("one group a variable is needed");
  if (groups != total.size() || groups < 1 || groups > 2) fail("one or two groups are possible");
  for (std::size_t v = 0; v < p.group.shape(0); ++v)
    if (p.group.data()[v] < 0 || p.group.data()[v] >= static_cast<int>(groups)) fail("a variable is of no group");
  if (p.column.shape(0) != p.place.shape(0)) fail("one column an item is needed");
  const Index rows = static_cast<Index>(K.shape(0)), columns = static_cast<Index>(K.shape(1));
  for (Index i = 0; i < n; ++i) {
    const Column at = p.place.data()[i], to = p.column.data()[i];
    if (at < -1 || at >= rows || to < -1 || to >= columns) fail("an item is not in the matrix");
    if (at >= 0 && to < 0) fail("an item that can move needs a score");
  }
  p.problem = {N,
               p.t.data(),
               p.lower.data(),
               p.upper.data(),
               p.group.shape(0) ? p.group.data() : nullptr,
               static_cast<int>(groups),
               {0, 0}};
  std::copy(total.begin(), total.end(), p.problem.total);
  p.values = {K.data(), columns, p.place.data(), p.column.data(), n, diagonal};
  return p;
}

// A capsule of SciPy says what it holds: eleven pointers, seven of them to integers of 32 bits.
bool is_dsysv(nb::object capsule) {
  if (!PyCapsule_CheckExact(capsule.ptr())) return false;
  const char* name = PyCapsule_GetName(capsule.ptr());
  const std::string said = name ? name : "";
  int pointers = 0, integers = 0;
  for (std::size_t at = said.find('*'); at != std::string::npos; at = said.find('*', at + 1)) {
    ++pointers;
    integers += at >= 5 && said.compare(at - 5, 5, " int ") == 0;
  }
  return said.rfind("void (char *", 0) == 0 && pointers == 11 && integers == 7;
}

// Several parts on one matrix of values; `scored`: f is known, otherwise it is made here. For each part the items
// without a row that should have one.
std::vector<std::vector<Column>> polish_all(nb::object dsysv, Matrix K, double diagonal,
                                            const std::vector<nb::tuple>& given,
                                            const std::vector<std::vector<double>>& totals, bool whole, bool scored,
                                            int threads) {
  if (!is_dsysv(dsysv)) fail("a routine that solves symmetric equations is needed");
  if (K.shape(0) > 0x7fffffff || K.shape(1) > 0x7fffffff) fail("more than 2^31 - 1 items");
  if (given.size() != totals.size()) fail("the sums of each part are needed");
  std::vector<Part> parts;
  for (std::size_t k = 0; k < given.size(); ++k)
    parts.push_back(part_of(given[k], K, totals[k], diagonal > 0 ? diagonal : 1.0));
  for (const Part& p : parts)
    for (Index i = 0; i < p.values.n; ++i)
      if ((!scored && p.place.data()[i] < 0) || (whole && p.column.data()[i] < 0))
        fail("the values of an item are not there");
  const auto solve = reinterpret_cast<Dsysv>(PyCapsule_GetPointer(dsysv.ptr(), PyCapsule_GetName(dsysv.ptr())));
  std::vector<std::vector<Column>> missing(parts.size());
  nb::gil_scoped_release free;
  const bool one = parts.size() == 1;
  parallel_for(
      static_cast<Index>(parts.size()), one ? 1 : threads,
      [&](Index k) {
        const Part& p = parts[static_cast<std::size_t>(k)];
        if (!scored) score_all(p.values, p.problem, p.b.data(), p.f.data());
        missing[static_cast<std::size_t>(k)] = Face(solve).polish(p.values, p.problem, whole, p.b.data(), p.f.data(),
                                                                  p.offset.data(), one ? poll_signals : never);
      },
      poll_signals);
  return missing;
}

// The same for those of many problems, one behind the other, that `which` tells. Item v of all of them stands in row
// and column items[v] of K; f is made here.
void polish_joined(nb::object dsysv, Matrix K, double diagonal, In<double> t, In<double> lower, In<double> upper,
                   In<std::int8_t> group, In<double> total, In<Index> ends, In<Column> items, In<std::int8_t> which,
                   InOut<double> b, InOut<double> f, InOut<double> offset, int threads) {
  if (!is_dsysv(dsysv)) fail("a routine that solves symmetric equations is needed");
  const std::size_t N = t.shape(0), parts = ends.shape(0), groups = parts > 0 ? total.shape(0) / parts : 1;
  if (lower.shape(0) != N || upper.shape(0) != N || b.shape(0) != N || f.shape(0) != N || items.shape(0) != N)
    fail("the arrays of the parts differ in length");
  if (group.shape(0) != 0 && group.shape(0) != N) fail("one group a variable is needed");
  if (groups < 1 || groups > 2 || total.shape(0) != groups * parts || offset.shape(0) != groups * parts)
    fail("one or two groups are possible");
  if (which.shape(0) != parts) fail("one figure a part is needed");
  Index first = 0;
  for (std::size_t k = 0; k < parts; first = ends.data()[k++])
    if (ends.data()[k] <= first) fail("a part has no items");
  if (static_cast<std::size_t>(first) != N) fail("the arrays of the parts differ in length");
  for (std::size_t v = 0; v < N; ++v)
    if (items.data()[v] < 0 || items.data()[v] >= static_cast<Index>(std::min(K.shape(0), K.shape(1))))
      fail("an item is not in the matrix");
  for (std::size_t v = 0; v < group.shape(0); ++v)
    if (group.data()[v] < 0 || group.data()[v] >= static_cast<int>(groups)) fail("a variable is of no group");
  const auto solve = reinterpret_cast<Dsysv>(PyCapsule_GetPointer(dsysv.ptr(), PyCapsule_GetName(dsysv.ptr())));
  nb::gil_scoped_release free;
  parallel_for(
      static_cast<Index>(parts), threads,
      [&](Index k) {
        if (!which.data()[k]) return;
        const Index v = k > 0 ? ends.data()[k - 1] : 0, n = ends.data()[k] - v, own = static_cast<Index>(groups);
        const Column* const at = items.data() + v;
        BoxProblem p{n,
                     t.data() + v,
                     lower.data() + v,
                     upper.data() + v,
                     group.shape(0) ? group.data() + v : nullptr,
                     static_cast<int>(groups),
                     {0, 0}};
        std::copy_n(total.data() + k * own, own, p.total);
        const FaceValues values{K.data(), static_cast<Index>(K.shape(1)), at, at, n, diagonal > 0 ? diagonal : 1.0};
        score_all(values, p, b.data() + v, f.data() + v);
        Face(solve).polish(values, p, true, b.data() + v, f.data() + v, offset.data() + k * own, never);
      },
      poll_signals);
}

}  // namespace

void bind_face(nb::module_& m) {
  m.def("is_dsysv", &is_dsysv, "capsule"_a);
  m.def("polish_all", &polish_all, "dsysv"_a, "K"_a.noconvert(), "diagonal"_a, "parts"_a, "totals"_a, "whole"_a,
        "scored"_a, "threads"_a);
  m.def("polish_joined", &polish_joined, "dsysv"_a, "K"_a.noconvert(), "diagonal"_a, "t"_a.noconvert(),
        "lower"_a.noconvert(), "upper"_a.noconvert(), "group"_a.noconvert(), "total"_a.noconvert(),
        "ends"_a.noconvert(), "items"_a.noconvert(), "which"_a.noconvert(), "b"_a.noconvert(), "f"_a.noconvert(),
        "offset"_a.noconvert(), "threads"_a);
}

}  // namespace widemargin
