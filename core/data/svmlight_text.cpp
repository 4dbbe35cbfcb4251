#include <charconv>
#include <cstdio>
#include <string>

#include "data/svmlight.hpp"

namespace widemargin {
namespace {

template <class N>
void append(std::string& text, N x) {
  char digits[40];
#if defined(__cpp_lib_to_chars)
  text.append(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
#else
  if constexpr (std::is_floating_point_v<N>)
    text.append(digits,
                static_cast<std::size_t>(std::snprintf(digits, sizeof digits, "%.17g", static_cast<double>(x))));
  else
    text.append(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
#endif
}

}  // namespace

template <class T>
std::string format_svmlight(const SvmlightView<T>& rows, Index first_index) {
  std::string text;
  for (Index i = 0; i < rows.count; ++i) {
    const Index begin = rows.label_offsets ? rows.label_offsets[i] : i;
    const Index end = rows.label_offsets ? rows.label_offsets[i + 1] : i + 1;
    for (Index l = begin; l < end; ++l) {
      if (l > begin) text += ',';
      append(text, rows.labels[l]);
    }
    if (rows.queries) append(text += " qid:", rows.queries[i]);
    for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
      append(text += ' ', rows.columns[k] + first_index);
      append(text += ':', rows.values[k]);
    }
    text += '\n';
  }
  return text;
}

template std::string format_svmlight(const SvmlightView<float>&, Index);
template std::string format_svmlight(const SvmlightView<double>&, Index);

}  // namespace widemargin
