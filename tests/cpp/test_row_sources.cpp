#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "data.hpp"
#include "kernel/matrix_source.hpp"
#include "kernel/native_source.hpp"
#include "kernel/pair_source.hpp"
#include "levels.hpp"

using namespace widemargin;

namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

const KernelSpec specs[] = {{KernelKind::linear, 1, 0, 1},
                            {KernelKind::polynomial, 0.1, 1, 3},
                            {KernelKind::rbf, 0.05, 0, 1},
                            {KernelKind::tanh, 0.02, -0.1, 1}};

double kernel(const KernelSpec& s, const double* x, const double* y, Index d) {
  double xy = 0, apart = 0;
  for (Index k = 0; k < d; ++k) xy += x[k] * y[k], apart += (x[k] - y[k]) * (x[k] - y[k]);
  if (s.kind == KernelKind::linear) return xy;
  if (s.kind == KernelKind::polynomial) return std::pow(s.gamma * xy + s.offset, s.degree);
  return s.kind == KernelKind::rbf ? std::exp(-s.gamma * apart) : std::tanh(s.gamma * xy + s.offset);
}

std::vector<float> filled(RowSource& source, int threads) {
  std::vector<float> K(z(source.n() * source.n()));
  fill_matrix(source, K.data(), threads, never);
  return K;
}

std::vector<Column> some(Index n, Index m, std::uint64_t seed) {
  Random random(seed, Purpose::sample, 2);
  std::vector<Column> I;
  for (Index a = 0; a < m; ++a) I.push_back(static_cast<Column>(random.below(static_cast<std::uint64_t>(n))));
  return I;
}

// Whatever is asked for together, and wherever a tile begins: the values are those of the matrix.
void gives_the_values_of(RowSource& source, const std::vector<float>& K) {
  const Index n = source.n();
  for (const Index m : {1, 5, 64, 70}) {
    const std::vector<Column> I = some(n, m, static_cast<std::uint64_t>(m));
    source.gather(I.data(), m);
    for (const auto& [first, count] : {std::pair<Index, Index>{0, n}, {32, n - 32}, {16, 3}, {48, 17}})
      for (Index p = 0; p * RowSource::panel < m; ++p) {
        const Index size = std::min(RowSource::panel, m - p * RowSource::panel);
        std::vector<float> values(z(size * count));
        std::vector<float*> out;
        for (Index a = 0; a < size; ++a) out.push_back(values.data() + a * count);
        source.tile(p, first, count, out.data());
        for (Index a = 0; a < size; ++a)
          CHECK(std::equal(out[z(a)], out[z(a)] + count, K.data() + I[z(p * RowSource::panel + a)] * n + first));
      }
    std::vector<Column> J = I;
    std::sort(J.begin(), J.end());
    for (const int threads : {1, 3}) {
      const Index ld = m + 3;
      std::vector<float> square(z(m * ld), -7);
      source.square(J.data(), m, square.data(), ld, threads);
      bool same = true;
      for (Index a = 0; a < m; ++a)
        for (Index b = 0; b < m; ++b) same = same && square[z(a * ld + b)] == K[z(J[z(a)] * n + J[z(b)])];
      CHECK(same);
    }
  }
}

// Every second item as a source of its own.
void has_subsets_of(RowSource& source, const std::vector<float>& K) {
  const Index n = source.n();
  std::vector<Column> half;
  for (Index i = 0; i < n; i += 2) half.push_back(static_cast<Column>(i));
  CHECK(source.has_subsets());
  const auto part = source.subset(half.data(), static_cast<Index>(half.size()));
  std::vector<float> inside;
  for (const Column i : half)
    for (const Column j : half) inside.push_back(K[z(i * n + j)]);
  CHECK(part->n() == static_cast<Index>(half.size()) && filled(*part, 2) == inside);
  gives_the_values_of(*part, inside);
  for (Index i = 0; i < part->n(); ++i) CHECK(part->diag(i) == source.diag(half[z(i)]));
}

// Values inside of a class are read where they lie, and are computed for nobody who does not want them.
void shows_parts(RowSource& source, const std::vector<float>& K, Index split) {
  const Index n = source.n();
  CHECK(source.part_end(0) == split && source.part_end(split - 1) == split && source.part_end(split) == n);
  CHECK(!source.whole_row(0) && !source.row(0, split) && !source.row(split, 0) && !source.row(n - 1, split - 1));
  for (const Index i : {Index{0}, split - 1, split, n - 1}) {
    const Index begin = i < split ? 0 : split, end = source.part_end(begin);
    for (const Index first : {begin, begin + 5, end - 1})
      CHECK(std::equal(K.data() + i * n + first, K.data() + i * n + end, source.row(i, first)));
  }
  const Column I[] = {2, static_cast<Column>(split + 1)};
  std::vector<float> values(z(n - split));
  float* out[] = {values.data(), nullptr};
  source.gather(I, 2);
  source.tile(0, split, n - split, out);
  CHECK(std::equal(values.begin(), values.end(), K.data() + 2 * n + split));
}

bool symmetric(const std::vector<float>& K, Index n) {
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j)
      if (K[z(i * n + j)] != K[z(j * n + i)]) return false;
  return true;
}

}  // namespace

TEST(kernel_values_depend_on_their_two_rows_alone) {
  const Sample s(131, 21, 3);
  at_every_level([&] {
    for (const KernelSpec& spec : specs)
      for (const AnyRows& rows : {AnyRows(s.dense()), AnyRows(s.dense32()), AnyRows(s.sparse())}) {
        const KernelRows<float> kept(rows, spec, 1);
        NativeSource source(kept);
        const std::vector<float> K = filled(source, 1);
        CHECK(symmetric(K, s.n));
        CHECK(filled(source, 2) == K && filled(source, 5) == K);
        gives_the_values_of(source, K);
        has_subsets_of(source, K);
        double off = 0, size = 0;
        for (Index i = 0; i < s.n; ++i)
          for (Index j = 0; j < s.n; ++j) {
            const double exact = kernel(spec, &s.x[z(i * s.d)], &s.x[z(j * s.d)], s.d);
            off = std::max(off, std::abs(K[z(i * s.n + j)] - exact)), size = std::max(size, std::abs(exact));
          }
        CHECK(off <= 2e-6 * size);
        for (Index i = 0; i < s.n; ++i)
          CHECK(std::abs(source.diag(i) - kernel(spec, &s.x[z(i * s.d)], &s.x[z(i * s.d)], s.d)) <= 1e-9 * size);
      }
  });
}

TEST(a_matrix_and_parts_of_it_are_read_as_they_are) {
  const Sample s(131, 9, 4);
  const KernelRows<float> rows(s.dense(), specs[2], 1);
  NativeSource computed(rows);
  const std::vector<float> K = filled(computed, 2);
  std::vector<double> diag;
  for (Index i = 0; i < s.n; ++i) diag.push_back(2.0 + static_cast<double>(i));
  std::vector<Column> of = some(s.n, 90, 9);
  std::iota(of.begin() + 20, of.begin() + 60, 31);  // neighbours are copied together
  at_every_level([&] {
    MatrixSource whole(K.data(), diag.data(), s.n);
    gives_the_values_of(whole, K);
    CHECK(whole.row(5, 3) == K.data() + 5 * s.n + 3 && whole.whole_row(5) == K.data() + 5 * s.n);
    CHECK(whole.diag(7) == 9.0);
    SubmatrixSource part(K.data(), diag.data(), s.n, of.data(), 90);
    std::vector<float> inside;
    for (const Column i : of)
      for (const Column j : of) inside.push_back(K[z(i * s.n + j)]);
    CHECK(filled(part, 2) == inside && part.diag(3) == 2.0 + of[3]);
    gives_the_values_of(part, inside);
  });
}

TEST(values_that_are_asked_for_pass_through_unchanged) {
  const Index n = 90;
  std::vector<float> K;
  for (Index k = 0; k < n * n; ++k) K.push_back(static_cast<float>(k % 77));
  const std::vector<double> diag(z(n), 1.0);
  const auto rows = [&](const Column* I, Index m, float* out) {
    for (Index a = 0; a < m; ++a) std::copy_n(K.data() + I[a] * n, n, out + a * n);
  };
  const auto square = [&](const Column* I, Index m, float* out) {
    for (Index a = 0; a < m; ++a)
      for (Index b = 0; b < m; ++b) out[a * m + b] = K[z(I[a] * n + I[b])];
  };
  CalledSource source(n, diag.data(), rows, square);
  CHECK(filled(source, 2) == K);
  gives_the_values_of(source, K);
}

TEST(pairs_of_classes_share_values_without_changing_them) {
  const Sample s(210, 41, 6);  // of fewer columns no values are kept
  const Index ends[] = {0, 70, 139, 210};
  at_every_level([&] {
    for (const bool sparse : {false, true})
      for (const KernelSpec& spec : specs) {
        std::vector<AnyRows> classes;
        for (int c = 0; c < 3; ++c) {
          const Index begin = ends[c], size = ends[c + 1] - begin;
          if (sparse)
            classes.push_back(SparseRows<double>{s.values.data(), s.columns.data(), &s.offsets[z(begin)], size, s.d});
          else
            classes.push_back(DenseRows<double>{&s.x[z(begin * s.d)], size, s.d, s.d});
        }
        const ClassRows kept(classes, spec, Index{1} << 30, 2, never), anew(classes, spec, 0, 1, never);
        CHECK(kept.inside(1, 0) && !anew.inside(1, 0));
        PairSource read(kept, 0, 2), computed(anew, 0, 2);
        const std::vector<float> K = filled(read, 1);
        const Index n = read.n();
        CHECK(n == 141 && symmetric(K, n));
        CHECK(filled(read, 3) == K && filled(computed, 1) == K);
        gives_the_values_of(read, K);
        gives_the_values_of(computed, K);
        shows_parts(read, K, 70);
        CHECK(!computed.row(3, 0) && !computed.row(100, 80));
        const double size = std::abs(*std::max_element(K.begin(), K.end()));
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < n; ++j) {
            const double *x = &s.x[z((i < 70 ? i : i + 69) * s.d)], *y = &s.x[z((j < 70 ? j : j + 69) * s.d)];
            CHECK(std::abs(K[z(i * n + j)] - kernel(spec, x, y, s.d)) <= 4e-6 * size);
          }
      }
  });
}

// Two classes that fill more than half of a block each, and others that find room beside them.
TEST(classes_of_any_size_have_room_for_their_values) {
  const Sample s(3010, 36, 7);
  std::vector<AnyRows> classes;
  for (const Index size : {0, 2960, 30, 3010, 0, 20}) classes.push_back(DenseRows<double>{s.x.data(), size, s.d, s.d});
  const ClassRows kept(classes, specs[0], Index{1} << 30, 1, never), anew(classes, specs[0], 0, 1, never);
  for (Index c = 0; c < 6; ++c) {
    PairSource read(kept, c, 0), computed(anew, c, 0);
    const Index n = read.n();
    CHECK(n == count(classes[z(c)]));
    if (n == 0) continue;
    const Column I[] = {0, static_cast<Column>(n / 2), static_cast<Column>(n - 1)};
    std::vector<float> values(z(3 * n));
    float* out[] = {values.data(), values.data() + n, values.data() + 2 * n};
    computed.gather(I, 3);
    computed.tile(0, 0, n, out);
    for (std::size_t a = 0; a < 3; ++a) CHECK(std::equal(out[a], out[a] + n, read.whole_row(I[a])));
  }
}

TEST(a_pair_of_a_class_that_is_not_there_is_refused) {
  const Sample s(10, 3, 1);
  const ClassRows one({AnyRows(s.dense())}, specs[0], 0, 1, never);
  CHECK_THROWS(Error, PairSource(one, 0, 1));
  CHECK_THROWS(Error, PairSource(one, -1, 0));
}
