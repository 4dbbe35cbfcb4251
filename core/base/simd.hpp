// The few loops over contiguous numbers that are worth explicit vector instructions, chosen once at run time.
// Sums are kept in four (plain) or four vectors of (AVX2) partial sums: the compiler may not reorder additions itself.
#pragma once

#include <bit>

#include "base/types.hpp"

namespace widemargin::simd {

enum class Level { scalar, avx2, avx512 };  // each includes those before it

Level detected();            // what this CPU can do
Level level();               // what is in use
void set_level(Level wish);  // never above detected(); call before any fit

// Whether numbers from far away can be gathered about as quickly as they can be loaded one by one. Not all processors
// with AVX-512 do that: some take a gather apart into dozens of steps that leave no room for others to begin.
bool swift_gathers();

double dot(const double* x, const double* w, Index d);
double dot(const float* x, const double* w, Index d);
void add(double s, const double* x, double* w, Index d);  // w += s x
void add(double s, const float* x, double* w, Index d);

// out_i = x_i.w for n rows that lie `stride` numbers apart: several at a time, since short ones end before a processor
// has filled its units.
void dots(const double* x, Index stride, Index n, const double* w, Index d, double* out);
void dots(const float* x, Index stride, Index n, const double* w, Index d, double* out);

// out_i = the sum over offset_i <= k < offset_{i + 1} of x_k w_{j_k}: n sparse rows of a few numbers each.
void sparse_dots(const double* x, const Column* j, const Index* offset, Index n, const double* w, double* out);
void sparse_dots(const float* x, const Column* j, const Index* offset, Index n, const double* w, double* out);

// Two odd 32-bit keys of a column in one word.
inline std::uint64_t column_key(std::uint64_t j) {
  const auto low = static_cast<std::uint32_t>(j * 0x9E3779B1u + 0x85EBCA77u);
  const auto high = static_cast<std::uint32_t>(j * 0xC2B2AE3Du + 0x27D4EB2Fu);
  return (static_cast<std::uint64_t>(high) << 32 | low) | 0x0000000100000001u;
}

// Hash of a row (see data/scan.hpp) and its squared norm in one go. `keys` are those of the columns 0 .. d-1.
std::uint64_t hash_and_norm(const double* x, const std::uint64_t* keys, Index d, double& squared_norm);
std::uint64_t hash_and_norm(const float* x, const std::uint64_t* keys, Index d, double& squared_norm);

std::uint64_t hash_and_norm(const double* x, const Column* j, Index size, double& squared_norm);
std::uint64_t hash_and_norm(const float* x, const Column* j, Index size, double& squared_norm);

// One value's part in the hash: both halves of its bits times the two keys of its column. Zero adds nothing.
inline std::uint64_t hash_term(double v, std::uint64_t key) {
  const auto bits = std::bit_cast<std::uint64_t>(v + 0.0);  // -0 is 0
  return (bits & 0xffffffffu) * (key & 0xffffffffu) + (bits >> 32) * (key >> 32);
}

}  // namespace widemargin::simd
