// The one exception type of the library. Its message is one line: what, where, found, expected; user data is quoted.
// Thrown while loading and at the border of a call, never inside a kernel. Safe to throw and catch in any thread.
#pragma once

#include <stdexcept>
#include <string>

#include "bert/export.h"

namespace bert {

enum class ErrorCode {
  kInvalidArgument,  // a value that the caller gave is out of range or contradicts another
  kInvalidFile,      // a file is there, but its content is not what it must be
  kNotFound,         // a file, a directory, a model or a tensor that was asked for is not there
  kUnsupported,      // valid, but this library does not do it; the message names it
  kInvalidText,      // a text is not valid UTF-8, or cannot be cut to the length asked for
  kNonFinite,        // a NaN or an infinity where a number must be
  kIo,               // the operating system refused to read, to write or to make a thread
};

class BERT_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace bert
