#include "arrays.hpp"
#include "base/error.hpp"
#include "data/column_order.hpp"
#include "data/scan.hpp"
#include "data/whole_labels.hpp"

namespace widemargin {
namespace {

// The compiler counts on it. Rows come from users, who may have cut them out of a file.
template <class T>
void check_aligned(const T* x) {
  if (reinterpret_cast<std::uintptr_t>(x) % alignof(T) != 0) fail("the values of an array must be aligned");
}

template <class T>
Rows dense(In2<T> x) {
  check_aligned(x.data());
  if (x.shape(0) > 0 && x.shape(1) > 1 && x.stride(1) != 1) fail("the values of a row must be contiguous");
  const auto n = static_cast<Index>(x.shape(0)), d = static_cast<Index>(x.shape(1));
  return {DenseRows<T>{x.data(), n, d, n > 1 ? x.stride(0) : d}, {nb::cast(x)}};
}

template <class T>
Rows csr(In<T> values, In<Column> columns, In<Index> offsets, Index d, int threads) {
  if (offsets.shape(0) < 1 || values.shape(0) != columns.shape(0))
    fail("arrays of a sparse matrix do not fit together");
  if (d < 0 || d > 0x7fffffff)
    fail("a sparse matrix of " + std::to_string(d) + " columns: at most 2^31 - 1 are possible");
  check_aligned(values.data());
  check_aligned(columns.data());
  check_aligned(offsets.data());
  const auto n = static_cast<Index>(offsets.shape(0)) - 1, nnz = static_cast<Index>(values.shape(0));
  {
    nb::gil_scoped_release free;
    check_sparse(offsets.data(), columns.data(), n, nnz, d, threads);
  }
  return {SparseRows<T>{values.data(), columns.data(), offsets.data(), n, d},
          {nb::cast(values), nb::cast(columns), nb::cast(offsets)}};
}

template <class T>
bool in_column_order(const Rows& rows, InOut<T> values, InOut<Column> columns) {
  const auto* view = std::get_if<SparseRows<T>>(&rows.view);
  if (view == nullptr) fail("rows and values must be sparse and of one type");
  const auto size = static_cast<std::size_t>(stored(*view));
  if (values.shape(0) != size || columns.shape(0) != size)
    fail("as many values and columns as the rows have are needed");
  nb::gil_scoped_release free;
  return sort_columns(*view, values.data(), columns.data(), poll_signals);
}

template <class T>
std::optional<std::tuple<Out<std::int64_t>, Out<std::int64_t>>> labels_by_table(In<T> y, std::int64_t span) {
  check_aligned(y.data());
  if (span < 1 || span > (1 << 24)) fail("a table of labels has 1 to 2^24 places");
  auto found = whole_labels(y.data(), static_cast<Index>(y.shape(0)), span);
  if (!found) return {};
  return std::make_tuple(to_numpy(std::move(found->classes)), to_numpy(std::move(found->codes)));
}

template <class T, class Fill>
Out<T> per_row(const Rows& rows, Fill fill) {
  std::vector<T> out(static_cast<std::size_t>(count(rows.view)));
  {
    nb::gil_scoped_release free;
    fill(out.data());
  }
  return to_numpy(std::move(out));
}

}  // namespace

void bind_rows(nb::module_& m) {
  m.def("whole_labels", &labels_by_table<std::int64_t>, "y"_a.noconvert(), "span"_a,
        "(classes, codes) of whole numbers less than `span` apart, else None.");
  m.def("whole_labels", &labels_by_table<double>, "y"_a.noconvert(), "span"_a);
  nb::class_<Rows>(m, "Rows", "Rows of data: dense or sparse, float32 or float64. A view; keeps its arrays alive.")
      .def_static("dense", &dense<double>, "x"_a.noconvert())
      .def_static("dense", &dense<float>, "x"_a.noconvert())
      .def_static("csr", &csr<double>, "values"_a.noconvert(), "columns"_a.noconvert(), "offsets"_a.noconvert(), "d"_a,
                  "threads"_a = 1)
      .def_static("csr", &csr<float>, "values"_a.noconvert(), "columns"_a.noconvert(), "offsets"_a.noconvert(), "d"_a,
                  "threads"_a = 1)
      .def_prop_ro("n", [](const Rows& r) { return count(r.view); })
      .def_prop_ro("d", [](const Rows& r) { return width(r.view); })
      .def_prop_ro(
          "size", [](const Rows& r) { return stored(r.view); }, "How many numbers are stored.")
      .def(
          "scan",
          [](const Rows& rows, Index first, int threads) {
            Scan s;
            {
              nb::gil_scoped_release free;
              s = scan(rows.view, first, threads, poll_signals);
            }
            return std::make_tuple(s.bad_row, s.bad_column, s.max_squared_norm, s.digest);
          },
          "first"_a = 0, "threads"_a = 1, "(bad_row, bad_column, max_squared_norm, digest)")
      .def(
          "squared_norms",
          [](const Rows& rows, int threads) {
            return per_row<double>(rows, [&](double* out) { squared_norms(rows.view, out, threads); });
          },
          "threads"_a = 1)
      .def("in_column_order", &in_column_order<double>, "values"_a.noconvert(), "columns"_a.noconvert(),
           "Write sparse rows with their columns rising; whether no column stands twice in a row.")
      .def("in_column_order", &in_column_order<float>, "values"_a.noconvert(), "columns"_a.noconvert())
      .def(
          "hashes",
          [](const Rows& rows, int threads) {
            return per_row<std::uint64_t>(rows, [&](std::uint64_t* out) { row_hashes(rows.view, out, threads); });
          },
          "threads"_a = 1);
}

}  // namespace widemargin
