// The weights and the rotation are tested by the program's own test, tests/tools/cli/commands/distill_test.cc.
#include "bert/distill.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/models/tiny_model_test.h"

namespace bert {
namespace {

// The call throws an Error of this code whose message has `part`.
template <class Call>
void expect_refused(ErrorCode code, const Call& call, const std::string& part) {
  const std::string message = test::refusal(code, call);
  EXPECT_FALSE(message.empty());
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

class DistillTest : public test::TinyModelTest {
 protected:
  DistillTest() { write_tiny_model(directory_, {.vocab = 60}); }
  Model model() const { return Model::load(directory_.path().string()); }
  std::filesystem::path result(const char* name) const { return results_.path() / name; }

  test::TemporaryDirectory results_;
};

TEST_F(DistillTest, WritesAModelAndSaysWhatItHas) {
  size_t most = 0;
  const DistilledModel made =
      distill(model(), result("static"), {.dimensions = 8, .progress = [&](size_t done, size_t all) {
                                            EXPECT_LE(done, all);
                                            most = done;
                                            return true;
                                          }});
  EXPECT_EQ(made.vocabulary, 60u);
  EXPECT_EQ(made.hidden_size, 24u);
  EXPECT_EQ(made.dimensions, 8u);
  EXPECT_EQ(most, made.tokens);
  EXPECT_FALSE(made.has_tokenizer_json);
  const Model loaded = Model::load(result("static").string());
  EXPECT_EQ(loaded.config().model_type, "static");
  EXPECT_EQ(loaded.embedding_size(), 8u);
  EXPECT_EQ(loaded.embed("fox"), loaded.embed("fox fox"));
}

TEST_F(DistillTest, LeavesNothingAfterACancellation) {
  expect_refused(
      ErrorCode::kCancelled, [&] { distill(model(), result("x"), {.progress = [](size_t, size_t) { return false; }}); },
      "");
  EXPECT_TRUE(std::filesystem::is_empty(results_.path()));
}

TEST_F(DistillTest, RefusesWhatCannotBeDistilled) {
  expect_refused(
      ErrorCode::kInvalidArgument, [&] { distill(model(), result("x"), {.dimensions = 25}); }, "expected 1 to 24");
  expect_refused(
      ErrorCode::kInvalidArgument, [&] { distill(model(), result("x"), {.dimensions = 0}); }, "expected 1 to 24");
  expect_refused(
      ErrorCode::kInvalidArgument, [&] { distill(model(), result("x"), {.sif_coefficient = 0}); },
      "expected a number above 0");
  expect_refused(
      ErrorCode::kInvalidArgument, [&] { distill(model(), results_.path()); },
      "exists, expected the name of a new directory");
  expect_refused(
      ErrorCode::kInvalidArgument, [&] { distill(Model::builtin(), result("x")); }, "expected a model's directory");
  distill(model(), result("static"));
  expect_refused(
      ErrorCode::kInvalidArgument, [&] { distill(Model::load(result("static").string()), result("x")); },
      "is a static model");
}

}  // namespace
}  // namespace bert
