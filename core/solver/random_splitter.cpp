#include "solver/random_splitter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,popcnt")))
#endif

namespace widemargin {
namespace {

// Bit i of the words says whether v[i] <= cut. There is room for 64 more values.
template <class T>
void plain_compare(const T* v, Index m, T cut, std::uint64_t* words) {
  for (Index b = 0; b < m; b += 64) {
    std::uint64_t word = 0;
    for (Index i = b; i < std::min(m, b + 64); ++i) word |= static_cast<std::uint64_t>(v[i] <= cut) << (i - b);
    words[b >> 6] = word;
  }
}

template <class T>
void plain_extremes(const T* v, Index m, T& low, T& high) {
  low = high = v[0];
  for (Index i = 1; i < m; ++i) {
    low = v[i] < low ? v[i] : low;
    high = high < v[i] ? v[i] : high;
  }
}

// Bits from `begin` to before `end`.
template <class Count>
inline Index bits(const std::uint64_t* words, Index begin, Index end, Count count) {
  if (begin == end) return 0;
  const Index first = begin >> 6, last = (end - 1) >> 6;
  const std::uint64_t head = ~std::uint64_t{0} << (begin & 63), tail = ~std::uint64_t{0} >> (63 - ((end - 1) & 63));
  if (first == last) return count(words[first] & head & tail);
  Index sum = count(words[first] & head) + count(words[last] & tail);
  for (Index w = first + 1; w < last; ++w) sum += count(words[w]);
  return sum;
}

// Locals that nothing else points to: bytes could be anything, and the compiler would read all anew after each.
template <class T>
void gather(Codes<T> codes, const std::uint32_t* __restrict rows, Index m, T* __restrict v) {
  const T* __restrict at = codes.at;
  const Index step = codes.step;
  if (step == 1)
    for (Index i = 0; i < m; ++i) v[i] = at[rows[i]];
  else
    for (Index i = 0; i < m; ++i) v[i] = at[static_cast<Index>(rows[i]) * step];
}

struct Sides {
  double left, right;  // sums of squared counts
  Index rows;          // on the left
};

template <class Count>
inline Sides count_sides(const std::uint64_t* words, const Index* first, Index classes, Count count) {
  Index left = 0, right = 0, rows = 0;
  for (Index k = 0; k < classes; ++k) {
    const Index l = bits(words, first[k], first[k + 1], count), r = first[k + 1] - first[k] - l;
    left += l * l;
    right += r * r;
    rows += l;
  }
  return {static_cast<double>(left), static_cast<double>(right), rows};
}

Sides plain_sides(const std::uint64_t* words, const Index* first, Index classes) {
  return count_sides(words, first, classes, [](std::uint64_t w) { return static_cast<Index>(std::popcount(w)); });
}

#ifdef WIDEMARGIN_X86
AVX2 void avx2_compare(const float* v, Index m, float cut, std::uint64_t* words) {
  const __m256 c = _mm256_set1_ps(cut);
  for (Index b = 0; b < m; b += 64) {
    std::uint64_t word = 0;
    for (Index i = b; i < std::min(m, b + 64); i += 8) {
      const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(v + i), c, _CMP_LE_OQ)));
      word |= static_cast<std::uint64_t>(mask) << (i - b);
    }
    words[b >> 6] = word;
  }
}
AVX2 void avx2_compare(const std::uint8_t* v, Index m, std::uint8_t cut, std::uint64_t* words) {
  const __m256i c = _mm256_set1_epi8(static_cast<char>(cut));
  for (Index b = 0; b < m; b += 64) {
    std::uint64_t word = 0;
    for (Index i = b; i < std::min(m, b + 64); i += 32) {
      const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(v + i));
      const auto mask = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(x, c), x)));
      word |= static_cast<std::uint64_t>(mask) << (i - b);
    }
    words[b >> 6] = word;
  }
}
// What stands behind the values becomes the first of them, so that whole vectors can be compared.
AVX2 void avx2_extremes(float* v, Index m, float& low, float& high) {
  const __m256 first = _mm256_set1_ps(v[0]);
  _mm256_storeu_ps(v + m, first);
  __m256 a = first, b = first;
  for (Index i = 0; i < m; i += 8) {
    const __m256 x = _mm256_loadu_ps(v + i);
    a = _mm256_min_ps(a, x);
    b = _mm256_max_ps(b, x);
  }
  __m128 c = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  __m128 d = _mm_max_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
  c = _mm_min_ps(c, _mm_movehl_ps(c, c));
  d = _mm_max_ps(d, _mm_movehl_ps(d, d));
  low = _mm_cvtss_f32(_mm_min_ss(c, _mm_shuffle_ps(c, c, 1)));
  high = _mm_cvtss_f32(_mm_max_ss(d, _mm_shuffle_ps(d, d, 1)));
}
AVX2 void avx2_extremes(std::uint8_t* v, Index m, std::uint8_t& low, std::uint8_t& high) {
  const __m256i first = _mm256_set1_epi8(static_cast<char>(v[0]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(v + m), first);
  __m256i a = first, b = first;
  for (Index i = 0; i < m; i += 32) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(v + i));
    a = _mm256_min_epu8(a, x);
    b = _mm256_max_epu8(b, x);
  }
  const auto least = [](__m256i x) __attribute__((target("avx2"))) {
    __m128i y = _mm_min_epu8(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    y = _mm_min_epu8(y, _mm_srli_epi16(y, 8));
    return static_cast<std::uint8_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_and_si128(y, _mm_set1_epi16(255)))));
  };
  low = least(a);
  high = static_cast<std::uint8_t>(~least(_mm256_xor_si256(b, _mm256_set1_epi8(-1))));
}
template <class T>
void avx2_extremes(const T* v, Index m, T& low, T& high) {
  plain_extremes(v, m, low, high);
}
template <class T>
void avx2_compare(const T* v, Index m, T cut, std::uint64_t* words) {
  plain_compare(v, m, cut, words);
}
AVX2 Sides avx2_sides(const std::uint64_t* words, const Index* first, Index classes) {
  return count_sides(words, first, classes, [](std::uint64_t w) __attribute__((target("avx2,popcnt"))) {
    return static_cast<Index>(_mm_popcnt_u64(w));
  });
}
#endif

template <class T>
class RandomSplitter final : public Splitter<T> {
 public:
  RandomSplitter(const Table<T>& table, const Targets& targets, const GrowOptions& options)
      : table_(table),
        targets_(targets),
        options_(options),
        first_(static_cast<std::size_t>(targets.classes[0]) + 1),
        class_(static_cast<std::size_t>(targets.classes[0])) {}

  void settle(const std::uint32_t* rows, Index m) override {
    settled_ = rows != nullptr;
    near_.resize(static_cast<std::size_t>(m));
    for (Index i = 0; i < m; ++i) near_[static_cast<std::size_t>(i)] = targets_.codes[rows[i]];
  }

  NodeSum enter(const std::uint32_t* rows, Index m) override {
    rows_ = rows;
    m_ = m;
    if (static_cast<Index>(values_.size()) < m + 64) {
      values_.resize(static_cast<std::size_t>(m) + 64);
      words_.resize(static_cast<std::size_t>(m) / 64 + 2);
    }
    const std::int32_t* codes = settled_ ? near_.data() : targets_.codes;
    m <= 64 ? find_classes(codes) : seek_classes(codes);
    Index squares = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(here_); ++k)
      squares += (first_[k + 1] - first_[k]) * (first_[k + 1] - first_[k]);
    const double side = static_cast<double>(squares) / static_cast<double>(m);
    slack_ = TIE * side;
    return {static_cast<double>(m), side, here_ == 1};
  }

  bool look(Index column, Codes<T> codes, Best<T>& best, Random& random) override {
    if (m_ == 2) return pair(column, codes, best, random);
    T* v = values_.data();
    gather(codes, rows_, m_, v);
    T low, high;
    extremes(v, low, high);
    if (low == high) return false;
    const double a = number(column, low), b = number(column, high), u = random.uniform();
    const float threshold = random_threshold(a, b, u);
    const T cut = random_cut<T>(table_, column, threshold);
    const Sides s = sides(cut);
    const Index l = s.rows, r = m_ - l;
    const auto lw = static_cast<double>(l), rw = static_cast<double>(r);
    if (l < options_.min_leaf || r < options_.min_leaf || lw < options_.min_leaf_weight ||
        rw < options_.min_leaf_weight)
      return true;
    const double score = s.left / lw + s.right / rw;
    if (score > best.score + slack_) {
      best.score = score;
      best.column = column;
      best.cut = cut;
      best.threshold = threshold;
    }
    return true;
  }

  bool together() const override { return settled_ && m_ > 2 && m_ <= LANE_ROWS && lanes; }

  unsigned look(const std::uint32_t* columns, int count, SmallNode<T> node, Best<T>& best, Random& random) override {
    unsigned constant = 0;
    if constexpr (lanes) {
      float low[LANE_COLUMNS], high[LANE_COLUMNS], cut[LANE_COLUMNS] = {}, threshold[LANE_COLUMNS];
      lane_extremes(node, columns, space_, low, high);
      const Random before = random;
      for (int c = 0; c < count; ++c) {
        if (low[c] == high[c]) {
          constant |= 1u << c;
          continue;
        }
        const double a = number(columns[c], static_cast<T>(low[c])), b = number(columns[c], static_cast<T>(high[c])),
                     u = random.uniform();
        threshold[c] = random_threshold(a, b, u);
        cut[c] = static_cast<float>(random_cut<T>(table_, columns[c], threshold[c]));
      }
      LaneSides s;
      lane_sides(space_, first_.data(), here_, cut, s);
      for (int c = 0; c < count; ++c) {
        if (constant >> c & 1) continue;
        const std::int32_t l = s.rows[c], r = static_cast<std::int32_t>(m_) - l;
        if (std::min(l, r) < options_.min_leaf || std::min(l, r) < options_.min_leaf_weight) continue;
        const double score = static_cast<double>(s.left[c]) / l + static_cast<double>(s.right[c]) / r;
        if (score > best.score + slack_)
          best.score = score, best.column = columns[c], best.cut = static_cast<T>(cut[c]),
          best.threshold = threshold[c];
        if (best.score != perfect()) continue;
        random = before;
        for (int k = 0; k <= c; ++k)
          if (!(constant >> k & 1)) random.uniform();
        break;
      }
    }
    return constant;
  }

  void leave(GrownTree& tree) override {
    const std::int32_t only = here_ == 1 ? class_[0] : -1;
    tree.leaves.push_back({static_cast<std::uint32_t>(m_), only, static_cast<double>(m_)});
    if (only >= 0) return;
    const std::size_t begin = tree.stats.size();
    tree.stats.resize(begin + class_.size(), 0.0);
    for (std::size_t k = 0; k < static_cast<std::size_t>(here_); ++k)
      tree.stats[begin + static_cast<std::size_t>(class_[k])] = static_cast<double>(first_[k + 1] - first_[k]);
  }

  double perfect() const override { return static_cast<double>(m_); }

 private:
  static constexpr bool lanes = sizeof(T) == 1 || std::is_floating_point_v<T>;

  double number(Index column, T c) const {
    if constexpr (std::is_floating_point_v<T>)
      return c;
    else
      return table_.ranks->low[static_cast<std::size_t>(table_.ranks->first[static_cast<std::size_t>(column)]) + c];
  }

  // Rows of a class are neighbours: where those of each class begin. Few rows are all looked at, without a branch.
  void find_classes(const std::int32_t* codes) {
    std::size_t k = 0;
    std::int32_t own = codes[rows_[0]];
    for (Index i = 0; i < m_; ++i) {
      const std::int32_t code = codes[rows_[i]];
      k += code != own;
      own = code;
      class_[k] = code;
      first_[k + 1] = i + 1;
    }
    here_ = static_cast<Index>(k) + 1;
  }

  void seek_classes(const std::int32_t* codes) {
    here_ = 0;
    for (Index at = 0; at < m_; ++here_) {
      const std::int32_t own = codes[rows_[at]];
      class_[static_cast<std::size_t>(here_)] = own;
      const auto same = [&](std::uint32_t row) { return codes[row] == own; };
      at = same(rows_[m_ - 1]) ? m_ : std::partition_point(rows_ + at, rows_ + m_, same) - rows_;
      first_[static_cast<std::size_t>(here_) + 1] = at;
    }
  }

  // Two rows of different classes: whatever tells them apart is perfect.
  bool pair(Index column, Codes<T> codes, Best<T>& best, Random& random) {
    T low = codes.at[static_cast<Index>(rows_[0]) * codes.step],
      high = codes.at[static_cast<Index>(rows_[1]) * codes.step];
    if (low == high) return false;
    if (high < low) std::swap(low, high);
    const double a = number(column, low), b = number(column, high), u = random.uniform();
    if (options_.min_leaf > 1 || options_.min_leaf_weight > 1 || !(2.0 > best.score)) return true;
    best.score = 2.0;
    best.column = column;
    best.threshold = random_threshold(a, b, u);
    best.cut = random_cut<T>(table_, column, best.threshold);
    return true;
  }

  void extremes(T* v, T& low, T& high) const {
#ifdef WIDEMARGIN_X86
    if (simd::level() != simd::Level::scalar) return avx2_extremes(v, m_, low, high);
#endif
    plain_extremes(v, m_, low, high);
  }

  Sides sides(T cut) {
#ifdef WIDEMARGIN_X86
    if (simd::level() != simd::Level::scalar) {
      avx2_compare(values_.data(), m_, cut, words_.data());
      return avx2_sides(words_.data(), first_.data(), here_);
    }
#endif
    plain_compare(values_.data(), m_, cut, words_.data());
    return plain_sides(words_.data(), first_.data(), here_);
  }

  const Table<T>& table_;
  const Targets& targets_;
  const GrowOptions& options_;
  std::vector<Index> first_;         // where the rows of each class that is here begin
  std::vector<std::int32_t> class_;  // which these are
  Index here_ = 0;                   // how many
  std::vector<std::int32_t> near_;
  std::vector<T> values_;
  std::vector<std::uint64_t> words_;
  const std::uint32_t* rows_ = nullptr;
  Index m_ = 0;
  double slack_ = 0;
  bool settled_ = false;
  LaneSpace space_;
};

}  // namespace

template <class T>
std::unique_ptr<Splitter<T>> make_random_splitter(const Table<T>& table, const Targets& targets,
                                                  const GrowOptions& options) {
  return std::make_unique<RandomSplitter<T>>(table, targets, options);
}

template std::unique_ptr<Splitter<std::uint8_t>> make_random_splitter(const Table<std::uint8_t>&, const Targets&,
                                                                      const GrowOptions&);
template std::unique_ptr<Splitter<std::uint16_t>> make_random_splitter(const Table<std::uint16_t>&, const Targets&,
                                                                       const GrowOptions&);
template std::unique_ptr<Splitter<std::uint32_t>> make_random_splitter(const Table<std::uint32_t>&, const Targets&,
                                                                       const GrowOptions&);
template std::unique_ptr<Splitter<float>> make_random_splitter(const Table<float>&, const Targets&, const GrowOptions&);

}  // namespace widemargin
