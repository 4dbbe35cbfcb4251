// How Python's arrays reach the core: as views, never converted or copied behind the caller's back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "data/rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace widemargin {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;  // read only
template <class T>
using InOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// Gives a vector or a buffer to NumPy without a copy.
template <class Array>
auto to_numpy(Array&& values) {
  static_assert(std::is_rvalue_reference_v<Array&&>, "move it: the arrays of NumPy own what they show");
  using T = std::remove_pointer_t<decltype(values.data())>;
  auto kept = std::make_unique<Array>(std::move(values));
  Array* array = kept.get();
  nb::capsule owner(array, [](void* p) noexcept { delete static_cast<Array*>(p); });
  kept.release();
  return Out<T>(array->data(), {static_cast<std::size_t>(array->size())}, owner);
}

// Data rows with the arrays that hold them.
struct Rows {
  AnyRows view;
  std::vector<nb::object> owners;
};

// A choice that Python gives by its number.
template <class Choice>
Choice choice(int number, Choice last, const char* name) {
  if (number < 0 || number > static_cast<int>(last))
    fail(std::string(name) + " " + std::to_string(number) + " is not known");
  return static_cast<Choice>(number);
}

// The counters of a state (epoch and position come first) may come from a file: none may lead outside of an array or
// overflow.
inline void check_counters(const std::int64_t* k, std::size_t size, Index visits_per_epoch) {
  for (std::size_t i = 0; i < size; ++i)
    if (k[i] < (i < 3 ? 0 : -1) || k[i] > (std::int64_t{1} << 60))
      fail("the state does not belong to this problem: a counter is " + std::to_string(k[i]));
  if (k[1] > visits_per_epoch)
    fail("the state does not belong to this problem: its position " + std::to_string(k[1]) +
         " lies outside of an epoch of " + std::to_string(visits_per_epoch) + " visits");
}

// So many visits at a time that position + budget does not overflow.
inline Index bounded(Index budget) { return std::min(budget, Index{1} << 60); }

// Looks for Ctrl-C, at most every 20 ms; throws if there was one. Needs no GIL when called.
void poll_signals();

void bind_base(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_online(nb::module_& m);
void bind_svmlight(nb::module_& m);
void bind_batch(nb::module_& m);
void bind_margin_perceptron(nb::module_& m);
void bind_voted(nb::module_& m);
void bind_kernel(nb::module_& m);
void bind_box(nb::module_& m);
void bind_box_columns(nb::module_& m);
void bind_box_pairs(nb::module_& m);
void bind_face(nb::module_& m);
void bind_distances(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_linear_features(nb::module_& m);
void bind_gradient(nb::module_& m);
void bind_stumps(nb::module_& m);
void bind_trees(nb::module_& m);
void bind_text(nb::module_& m);

}  // namespace widemargin
