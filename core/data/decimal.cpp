#include "data/decimal.hpp"

#include <charconv>
#include <limits>
#include <string>

#if !defined(__cpp_lib_to_chars)
#include <locale.h>
#include <stdlib.h>
#endif

namespace widemargin::decimal {
namespace {

// Whether a number that does not fit is too large; otherwise it is too small.
// 0.d1d2... * 10^place with d1 > 0: place > 0 means large.
bool too_large(const char* p, const char* end) {
  std::int64_t place = 0;
  bool point = false, leading = true;
  for (; p != end && (*p | 0x20) != 'e'; ++p) {
    if (*p == '.') {
      point = true;
      continue;
    }
    leading = leading && *p == '0';
    if (leading && point) --place;
    if (!leading && !point) ++place;
  }
  if (p != end) exponent(p, place);
  return place > 0;
}

}  // namespace

const char* word(const char* begin, double& out) {
  const auto is = [&](const char* name) {
    const char* p = begin;
    for (; *name; ++name, ++p)
      if ((*p | 0x20) != *name) return false;
    return true;
  };
  if (is("nan")) return out = std::numeric_limits<double>::quiet_NaN(), begin + 3;
  if (!is("inf")) return nullptr;
  out = std::numeric_limits<double>::infinity();
  return begin + (is("infinity") ? 8 : 3);
}

double rounded(const char* begin, const char* end) {
  double value = 0;
#if defined(__cpp_lib_to_chars)
  const std::errc error = std::from_chars(begin, end, value).ec;
  if (error == std::errc::result_out_of_range)
    value = too_large(begin, end) ? std::numeric_limits<double>::infinity() : 0;
#else
  // Some standard libraries have from_chars for integers only. strtod needs an end of its own and a fixed locale.
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  value = strtod_l(std::string(begin, end).c_str(), nullptr, plain);
#endif
  return value;
}

}  // namespace widemargin::decimal
