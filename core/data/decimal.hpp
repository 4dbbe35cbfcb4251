// Decimal text to the nearest double, and runs of digits eight at a time.
//
// Problem  [sign] digits [. digits] [e [sign] digits] | [sign] inf | infinity | nan  ->  nearest double, ties to even
// Symbols  m the digits as an integer, e the power of ten: the number is m * 10^e
// Method   m <= 2^53 and |e| <= 22: m and 10^|e| are doubles, so one product or quotient is rounded once [Clinger90,
//          sec. 3]. All else goes to the standard library. Digits by multiplication inside one word [Lemire21, sec. 8].
// Demands  the text is followed by a byte that belongs to no number, and 16 bytes past that may be read.
#pragma once

#include <bit>
#include <cfloat>
#include <cstdint>
#include <cstring>

namespace widemargin::decimal {

constexpr int overread = 16;

// Eight bytes, the first in the lowest place, as digit values where they are digits.
inline std::uint64_t load(const char* p) {
  std::uint64_t v;
  std::memcpy(&v, p, 8);
  if constexpr (std::endian::native == std::endian::big) {
    v = ((v & 0x00ff00ff00ff00ffu) << 8) | ((v >> 8) & 0x00ff00ff00ff00ffu);
    v = ((v & 0x0000ffff0000ffffu) << 16) | ((v >> 16) & 0x0000ffff0000ffffu);
    v = (v << 32) | (v >> 32);
  }
  return v ^ 0x3030303030303030u;
}

// The high bit of each byte that is not a digit.
inline std::uint64_t non_digits(std::uint64_t v) {
  return (((v & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | v) & 0x8080808080808080u;
}

// The number that eight digit values spell.
inline std::uint64_t eight(std::uint64_t v) {
  v = v * 10 + (v >> 8);
  return (((v & 0x000000ff000000ffu) * 0x000f424000000064u) +
          (((v >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u)) >>
         32;
}

constexpr std::uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

// Appends the run of digits at p to m (modulo 2^64: the caller counts digits) and returns its end.
inline const char* digits(const char* p, std::uint64_t& m) {
  for (;;) {
    const std::uint64_t v = load(p), other = non_digits(v);
    if (other) {
      const int length = std::countr_zero(other) >> 3;
      if (length == 0) return p;
      m = m * tens[length] + eight(v << (64 - 8 * length));
      return p + length;
    }
    m = m * 100000000 + eight(v);
    p += 8;
  }
}

// Words, and numbers out of reach of the exact path. `begin` is past the sign.
const char* word(const char* begin, double& out);
double rounded(const char* begin, const char* end);

constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Reads e[sign]digits at p, if it is there, into e. Returns its end, or null if digits are missing.
inline const char* exponent(const char* p, std::int64_t& e) {
  if ((*p | 0x20) != 'e') return p;
  ++p;
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const char* begin = p;
  std::int64_t sum = 0;
  for (; *p >= '0' && *p <= '9'; ++p)
    if (sum < 1000000000) sum = sum * 10 + (*p - '0');
  e += negative ? -sum : sum;
  return p == begin ? nullptr : p;
}

// Returns the end of the number, or null if there is none.
inline const char* number(const char* p, double& out) {
  const bool negative = *p == '-';
  p += negative | (*p == '+');  // no branch: signs are hard to predict
  const char* begin = p;
  std::uint64_t m = 0;
  p = digits(p, m);
  std::int64_t e = 0, count = p - begin;
  if (*p == '.') {
    const char* fraction = ++p;
    p = digits(p, m);
    e = fraction - p;
    count -= e;
  }
  double value;
  if (count == 0) {
    p = word(begin, value);
  } else {
    p = exponent(p, e);
    if (p && count <= 19 && m <= (std::uint64_t{1} << 53) && e >= -22 && e <= 22 && FLT_EVAL_METHOD == 0)
      value = e < 0 ? static_cast<double>(m) / powers[-e] : static_cast<double>(m) * powers[e];
    else if (p)
      value = rounded(begin, p);
  }
  if (!p) return nullptr;
  out = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (std::uint64_t{negative} << 63));
  return p;
}

}  // namespace widemargin::decimal
