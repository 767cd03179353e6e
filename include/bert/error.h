// The only exception type of the library. Its message is one line: what, where, found, expected; user data is quoted.
// Thrown while loading and when a call checks arguments and results, never inside a kernel. Thread-safe.
#pragma once

#include <stdexcept>
#include <string>

#include "bert/export.h"

namespace bert {

enum class ErrorCode {
  kInvalidArgument,  // an argument is out of range or contradicts another
  kInvalidFile,      // a file exists, but its content is wrong
  kNotFound,         // a requested file, directory, model or tensor does not exist
  kUnsupported,      // valid, but this library does not support it; the message names it
  kInvalidText,      // a text is not valid UTF-8, or cannot be truncated to the requested length
  kNonFinite,        // a NaN or an infinity
  kIo,               // the operating system failed to read, to write or to create a thread
  kCancelled,        // a callback of the caller ended the call
  kOutOfMemory,      // no memory for a result, or for the tokens or forward pass of one text of many
};

class BERT_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace bert
