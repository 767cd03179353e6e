// Tests which rows Model::logits returns and what it refuses. tests/models/families compares the numbers with the
// reference's.
#include <gtest/gtest.h>

#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"
#include "tests/support/random.h"

namespace bert {
namespace {

class LogitsTest : public test::TinyModelTest {
 protected:
  Model load_with_answers() {
    return load({}, [](test::TinyTensors& tensors) {
      test::Random random(31);
      tensors["qa_outputs.weight"] = {{2, 24}, random.numbers(2 * 24)};
      tensors["qa_outputs.bias"] = {{2}, {0.5f, -0.5f}};
    });
  }
};

TEST_F(LogitsTest, AreTheHeadsDenseLayerOfEachTokensLastState) {
  const Model model = load_with_answers();
  const std::vector<int32_t> ids = {2, 6, 7, 6, 3};
  const TokenSequence sequence{ids};
  const Logits logits = model.logits(Head::kQuestionAnswering, {&sequence, 1})[0];
  EXPECT_EQ(logits.rows, 5u);
  EXPECT_EQ(logits.outputs, 2u);
  const std::vector<float> hidden = model.encode({&sequence, 1})[0].last_hidden_state;
  const std::vector<float> weight = test::Random(31).numbers(2 * 24);
  std::vector<double> expected;
  for (size_t token = 0; token < 5; ++token) {
    for (size_t out = 0; out < 2; ++out) {
      double sum = out == 0 ? 0.5 : -0.5;
      for (size_t c = 0; c < 24; ++c) {
        sum += static_cast<double>(hidden[token * 24 + c]) * static_cast<double>(weight[out * 24 + c]);
      }
      expected.push_back(sum);
    }
  }
  EXPECT_TRUE(test::within(1e-5, logits.values, expected));
}

TEST_F(LogitsTest, CanBeOfTheTokensOfOneIdOnly) {
  const Model model = load_with_answers();
  const std::vector<int32_t> with = {2, 6, 7, 6, 3}, without = {2, 7, 3};
  const TokenSequence batch[] = {{with}, {without}};
  const std::vector<Logits> all = model.logits(Head::kQuestionAnswering, batch);
  const std::vector<Logits> chosen = model.logits(Head::kQuestionAnswering, batch, {.only_id = 6});
  ASSERT_EQ(chosen[0].rows, 2u);
  EXPECT_EQ(chosen[1].rows, 0u);
  const std::vector<float> rows = {all[0].values[2], all[0].values[3], all[0].values[6], all[0].values[7]};
  EXPECT_TRUE(test::same_bits(chosen[0].values, rows));
}

TEST_F(LogitsTest, AreRefusedForAHeadThatIsNotThereWithThoseThatAre) {
  const Model model = load_with_answers();
  const std::string message = test::refusal(ErrorCode::kNotFound, [&] { model.require(Head::kNextSentence); });
  EXPECT_NE(message.find("no head for next sentence; it has those for question answering"), std::string::npos)
      << message;
}

}  // namespace
}  // namespace bert
