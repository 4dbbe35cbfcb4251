#include <new>

#include "arrays.hpp"
#include "base/error.hpp"

using namespace widemargin;

NB_MODULE(_core, m) {
  m.doc() = "The native core of widemargin. Private: import names from widemargin instead.";
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const Error& e) {
      PyErr_SetString(e.kind == ErrorKind::memory ? PyExc_MemoryError : PyExc_ValueError, e.what());
    }
  });
  bind_base(m);
  bind_rows(m);
  bind_online(m);
  bind_svmlight(m);
  bind_batch(m);
  bind_margin_perceptron(m);
  bind_voted(m);
  bind_kernel(m);
  bind_box(m);
  bind_box_columns(m);
  bind_box_pairs(m);
  bind_face(m);
  bind_distances(m);
  bind_linear(m);
  bind_linear_features(m);
  bind_gradient(m);
  bind_stumps(m);
  bind_trees(m);
  bind_text(m);
}
