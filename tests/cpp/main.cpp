// core_tests [part | -part]: runs the tests whose names (do not) contain the part; exits with 1 if any failed.
#include <cstring>
#include <exception>

#include "check.hpp"

static bool wanted(const char* name, const char* part) {
  if (*part == '-') return !std::strstr(name, part + 1);
  return std::strstr(name, part);
}

int main(int argc, char** argv) {
  int ran = 0;
  for (const check::Case& test : check::cases()) {
    if (argc > 1 && !wanted(test.name, argv[1])) continue;
    ++ran;
    const int before = check::failures;
    try {
      test.body();
    } catch (const std::exception& e) {
      check::failed(test.name, 0, std::string("unexpected exception: ") + e.what());
    }
    if (check::failures != before) std::fprintf(stderr, "FAILED %s\n", test.name);
  }
  std::printf("core tests: %d run, %d checks failed\n", ran, check::failures);
  return check::failures || ran == 0 ? 1 : 0;
}
