// Small models made here, and the errors they give: for the tests of a model's calls.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "bert/model.h"
#include "tests/support/tiny_model.h"

namespace bert::test {

class TinyModelTest : public ::testing::Test {
 protected:
  Model load(const TinyModel& model = {}, const std::function<void(TinyTensors&)>& edit = {},
             const LoadOptions& options = {.threads = 2}) {
    write_tiny_model(directory_, model, edit);
    return Model::load(directory_.path().string(), options);
  }
  TemporaryDirectory directory_;
};

// The message of the Error of this code that the call throws; "" where it throws none.
template <class Call>
std::string refusal(ErrorCode code, const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "";
}

}  // namespace bert::test
