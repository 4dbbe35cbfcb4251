#include "data/svmlight.hpp"

#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "base/error.hpp"

namespace widemargin {
namespace {

template <class T>
struct Reader {
  SvmlightOptions options;
  SvmlightRows<T> rows;
};

template <class T>
nb::object feed(Reader<T>& self, In<std::uint8_t> text) {
  std::optional<SvmlightFault> fault;
  {
    nb::gil_scoped_release free;
    fault = append_svmlight(reinterpret_cast<const char*>(text.data()), static_cast<Index>(text.shape(0)), self.options,
                            self.rows, poll_signals);
  }
  if (!fault) return nb::none();
  return nb::make_tuple(fault->line, fault->what);
}

// Hands out all rows; the line count and the extreme columns go on.
template <class T>
nb::tuple take(Reader<T>& self) {
  SvmlightRows<T>& r = self.rows;
  r.values.fit();
  r.columns.fit();
  return nb::make_tuple(to_numpy(std::move(r.labels)), to_numpy(std::move(r.label_ends)),
                        to_numpy(std::move(r.queries)), to_numpy(std::move(r.values)), to_numpy(std::move(r.columns)),
                        to_numpy(std::move(r.row_ends)));
}

template <class T>
void bind_reader(nb::module_& m, const char* name) {
  nb::class_<Reader<T>>(m, name, "Rows of svmlight text, fed in pieces of whole lines.")
      .def(
          "__init__",
          [](Reader<T>* self, int first_index, bool multilabel, bool query_id, int threads, Index block_bytes) {
            if (block_bytes < 1) fail("a block needs at least one byte, not " + std::to_string(block_bytes));
            block_bytes = std::min(block_bytes, Index{1} << 40);
            new (self) Reader<T>{
                {choice(first_index, FirstIndex::one, "first index"), multilabel, query_id, block_bytes, threads}, {}};
          },
          "first_index"_a, "multilabel"_a, "query_id"_a, "threads"_a, "block_bytes"_a)
      .def("feed", &feed<T>, "text"_a.noconvert(),
           "-> None, or (line, message) of the first fault; then nothing was kept.")
      .def("take", &take<T>, "-> labels, label_ends, queries, values, columns, row_ends.")
      .def_prop_ro("count", [](const Reader<T>& self) { return self.rows.size(); })
      .def_prop_ro("bottom", [](const Reader<T>& self) { return self.rows.bottom; })
      .def_prop_ro("top", [](const Reader<T>& self) { return self.rows.top; })
      .def_prop_ro("top_line", [](const Reader<T>& self) { return self.rows.top_line; });
}

using Offsets = In<Index>;

void check_offsets(const Offsets& o, Index count, Index end) {
  if (static_cast<Index>(o.shape(0)) != count + 1 || o(0) < 0 || o(static_cast<std::size_t>(count)) > end)
    fail("offsets do not fit their array");
  for (Index i = 0; i < count; ++i)
    if (o(static_cast<std::size_t>(i + 1)) < o(static_cast<std::size_t>(i))) fail("offsets must not fall");
}

template <class T>
nb::bytes format(In<T> values, In<Column> columns, Offsets rows, In<double> labels,
                 std::optional<Offsets> label_offsets, std::optional<In<Index>> queries, Index first_index) {
  if (first_index < 0 || first_index > 1) fail("indices start at 0 or 1, not " + std::to_string(first_index));
  if (rows.shape(0) < 1 || values.shape(0) != columns.shape(0)) fail("arrays of a sparse matrix do not fit together");
  const auto count = static_cast<Index>(rows.shape(0)) - 1, n_labels = static_cast<Index>(labels.shape(0));
  check_offsets(rows, count, static_cast<Index>(values.shape(0)));
  if (label_offsets) check_offsets(*label_offsets, count, n_labels);
  if ((!label_offsets && n_labels != count) || (queries && static_cast<Index>(queries->shape(0)) != count))
    fail("one label and one query a row are needed");
  std::string text;
  {
    nb::gil_scoped_release free;
    text = format_svmlight(
        SvmlightView<T>{values.data(), columns.data(), rows.data(), labels.data(),
                        label_offsets ? label_offsets->data() : nullptr, queries ? queries->data() : nullptr, count},
        first_index);
  }
  return nb::bytes(text.data(), text.size());
}

template <class T>
void bind_format(nb::module_& m) {
  m.def("format_svmlight", &format<T>, "values"_a.noconvert(), "columns"_a.noconvert(), "row_offsets"_a.noconvert(),
        "labels"_a.noconvert(), "label_offsets"_a.noconvert().none(), "queries"_a.noconvert().none(), "first_index"_a);
}

}  // namespace

void bind_svmlight(nb::module_& m) {
  bind_reader<double>(m, "SvmlightReader64");
  bind_reader<float>(m, "SvmlightReader32");
  bind_format<double>(m);
  bind_format<float>(m);
}

}  // namespace widemargin
