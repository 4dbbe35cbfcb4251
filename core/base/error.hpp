// The one error type of the core. The binding turns `kind` into a Python exception.
#pragma once

#include <stdexcept>
#include <string>

namespace widemargin {

enum class ErrorKind { value, file, memory };

struct Error : std::runtime_error {
  ErrorKind kind;
  Error(ErrorKind kind, const std::string& what) : std::runtime_error(what), kind(kind) {}
};

[[noreturn]] inline void fail(const std::string& what, ErrorKind kind = ErrorKind::value) { throw Error(kind, what); }

}  // namespace widemargin
