#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "base/rng.hpp"
#include "check.hpp"
#include "data/decimal.hpp"
#include "data/svmlight.hpp"

using namespace widemargin;

namespace {

// An allocation of exactly the text, so that the sanitizer sees every byte read too far.
template <class T>
std::optional<SvmlightFault> parse(const std::string& text, SvmlightRows<T>& rows, SvmlightOptions options = {}) {
  const auto exact = std::make_unique<char[]>(text.size());
  std::memcpy(exact.get(), text.data(), text.size());
  return append_svmlight(exact.get(), static_cast<Index>(text.size()), options, rows);
}

double number(const std::string& digits) {
  std::string padded = digits + '\n' + std::string(decimal::overread, '\0');
  double x = -7;
  const char* end = decimal::number(padded.data(), x);
  return end == padded.data() + digits.size() ? x : -7;
}

}  // namespace

TEST(numbers) {
  CHECK(number("1") == 1 && number("-2.5") == -2.5 && number("+.5e1") == 5 && number("12345678.9") == 12345678.9);
  CHECK(number("9007199254740993") == 9007199254740992.0 && number("1e23") == 1e23 && number("4.9e-324") == 4.9e-324);
  CHECK(number("1e400") == INFINITY && number("-1e400") == -INFINITY && number("1e-400") == 0);
  CHECK(std::signbit(number("-0")) && std::isnan(number("NaN")) && number("-Infinity") == -INFINITY);
  for (const char* bad : {"", "-", ".", "e5", "1e", "1e+", "x", "0x10", "--1", "in"}) CHECK(number(bad) == -7);
}

TEST(rows_are_appended_piece_by_piece) {
  SvmlightRows<float> rows;
  CHECK(!parse("1 1:2 3:4.5\n# c\n", rows));
  CHECK(!parse("-1 2:1", rows));
  CHECK(rows.size() == 2 && rows.lines == 3 && rows.top == 2 && rows.top_line == 1 && rows.bottom == 0);
  CHECK(rows.labels[1] == -1 && rows.row_ends[0] == 2 && rows.row_ends[1] == 3);
  CHECK(rows.columns[1] == 2 && rows.columns[2] == 1 && rows.values[1] == 4.5f);
  const auto fault = parse("1 1:1\n1 1:x\n", rows);
  CHECK(fault && fault->line == 5 && rows.size() == 2 && rows.lines == 3);
}

TEST(any_bytes_give_the_same_for_any_threads_and_never_a_crash) {
  const char alphabet[] = "0123456789::::..   \n\n\r#,-+eqid\t";
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed, Purpose::sample, 0);
    std::string text(random.below(120), ' ');
    for (char& c : text)
      c = random.below(50) ? alphabet[random.below(sizeof alphabet - 1)] : static_cast<char>(random.below(256));
    SvmlightOptions options{FirstIndex::found, seed % 2 == 0, seed % 3 == 0, static_cast<Index>(1 + random.below(40)),
                            1};
    SvmlightRows<double> one, two;
    const auto fault = parse(text, one, options);
    options.threads = 2;
    const auto again = parse(text, two, options);
    CHECK(fault.has_value() == again.has_value() &&
          (!fault || (fault->line == again->line && fault->what == again->what)));
    CHECK(one.size() == two.size() && one.columns.size() == two.columns.size() && one.top == two.top);
    for (Index k = 0; k < one.columns.size(); ++k) CHECK(one.columns[k] == two.columns[k]);
    CHECK(one.size() == 0 || one.row_ends[one.size() - 1] == one.columns.size());
  }
}
