// Returns the error that a call throws as text, or "" if it throws none.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "bert/error.h"

namespace bert::test {

// Returns the message of the Error that `call` throws, and expects that its code is `code`.
template <typename Call>
std::string error_of(ErrorCode code, const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(code)) << error.what();
    return error.what();
  }
  return "";
}

template <typename Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace bert::test
