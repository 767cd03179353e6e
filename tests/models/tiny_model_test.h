// Writes small models for the tests of a model's calls, and checks the errors that the calls throw.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

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

  // Writes the modules after the Transformer, each given by its class and config.json, into the directories 1, 2, …
  void write_modules(const std::vector<std::pair<std::string, std::string>>& modules) {
    std::string list = R"([{"type": "sentence_transformers.models.Transformer", "path": ""})";
    for (size_t i = 0; i < modules.size(); ++i) {
      const std::string folder = std::to_string(i + 1);
      list += R"(, {"type": "sentence_transformers.models.)" + modules[i].first + R"(", "path": ")" + folder + "\"}";
      directory_.write(folder + "/config.json", modules[i].second);
    }
    directory_.write("modules.json", list + "]");
  }

  TemporaryDirectory directory_;
};

// Returns the message of the Error that the call throws, or "". Fails if the Error has another code.
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

// Expects that the call throws an Error of this code whose message has `part`.
template <class Call>
void expect_refused(ErrorCode code, const Call& call, const std::string& part) {
  const std::string message = refusal(code, call);
  EXPECT_FALSE(message.empty());
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

}  // namespace bert::test
