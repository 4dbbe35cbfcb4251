// A test framework in one page: TEST(name) { CHECK(...); CHECK_THROWS(Error, ...); } in any file beside this one.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace check {

struct Case {
  const char* name;
  void (*body)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

inline int failures = 0;

struct Register {
  Register(const char* name, void (*body)()) { cases().push_back({name, body}); }
};

inline void failed(const char* file, int line, const std::string& what) {
  ++failures;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
}

}  // namespace check

#define TEST(name)                                           \
  static void name();                                        \
  static const check::Register register_##name(#name, name); \
  static void name()

#define CHECK(condition)                                             \
  do {                                                               \
    if (!(condition)) check::failed(__FILE__, __LINE__, #condition); \
  } while (false)

#define CHECK_THROWS(Kind, ...)                                                        \
  do {                                                                                 \
    bool caught = false;                                                               \
    try {                                                                              \
      __VA_ARGS__;                                                                     \
    } catch (const Kind&) {                                                            \
      caught = true;                                                                   \
    }                                                                                  \
    if (!caught) check::failed(__FILE__, __LINE__, "no " #Kind " from " #__VA_ARGS__); \
  } while (false)
