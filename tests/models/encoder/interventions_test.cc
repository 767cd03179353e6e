// Compares changes of a forward pass with models whose weights have the same effect.
#include "models/encoder/interventions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/models/tiny_model_test.h"

namespace bert {
namespace {

constexpr size_t kModelWidth = 24, kHeadSize = 8;

class InterventionsTest : public test::TinyModelTest {
 protected:
  static std::vector<float> last_of(const Model& model, const std::vector<int32_t>& ids) {
    const TokenSequence one{.ids = ids};
    return model.encode(std::span(&one, 1)).front().last_hidden_state;
  }
  static std::vector<float> states_of(const Model& model, const std::vector<int32_t>& ids) {
    const TokenSequence one{.ids = ids};
    return model.encode({&one, 1}, {.hidden_states = true}).front().hidden_states;
  }

  const std::vector<int32_t> ids_ = {2, 5, 8, 12, 3}, other_ = {2, 9, 10, 11, 3};
};

// The expected model has zeros in the output projection's columns of these heads.
TEST_F(InterventionsTest, AHeadWithoutOutputsIsOneWithoutWeights) {
  const Model without = load({}, [](test::TinyTensors& tensors) {
    for (const auto& [layer, head] : {std::pair<size_t, size_t>{0, 1}, {1, 2}}) {
      test::TinyTensor& weight =
          tensors.at("encoder.layer." + std::to_string(layer) + ".attention.output.dense.weight");
      for (size_t out = 0; out < kModelWidth; ++out) {
        for (size_t in = head * kHeadSize; in < (head + 1) * kHeadSize; ++in) weight.values[out * kModelWidth + in] = 0;
      }
    }
  });
  const std::vector<float> expected = states_of(without, ids_);
  const Model model = load();
  const std::vector<float> whole = states_of(model, ids_);
  EXPECT_EQ(states_of(intervene(model, {.heads = {{0, 1}, {1, 2}}}), ids_), expected);
  EXPECT_NE(expected, whole);
}

// The value weights are 0, so a head has the same output for all tokens, which equals their mean.
TEST_F(InterventionsTest, TheMeanOfEqualOutputsChangesNothing) {
  const Model model = load({}, [](test::TinyTensors& tensors) {
    test::TinyTensor& weight = tensors.at("encoder.layer.1.attention.self.value.weight");
    for (size_t out = 0; out < kHeadSize; ++out) {
      std::fill_n(weight.values.begin() + static_cast<std::ptrdiff_t>(out * kModelWidth), kModelWidth, 0.0f);
    }
  });
  const std::vector<float> whole = last_of(model, ids_);
  const auto with_mean = [&](size_t head) {
    return last_of(intervene(model, {.heads = {{1, head}}, .ablation = Ablation::kMean}), ids_);
  };
  const std::vector<float> same = with_mean(0);
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(same[i], whole[i], 1e-6);
  EXPECT_NE(with_mean(1), whole);
}

// The mean is taken over the tokens of each text of a batch.
TEST_F(InterventionsTest, TheMeanIsOfOneText) {
  const Model model = intervene(load(), {.heads = {{0, 0}}, .ablation = Ablation::kMean});
  const std::vector<TokenSequence> both = {{.ids = ids_}, {.ids = other_}};
  const std::vector<EncodedSequence> encoded = model.encode(both);
  EXPECT_EQ(encoded[0].last_hidden_state, last_of(model, ids_));
  EXPECT_EQ(encoded[1].last_hidden_state, last_of(model, other_));
}

TEST_F(InterventionsTest, AllTokensOfAnotherTextAreThatText) {
  const Model model = load();
  const std::vector<float> states = states_of(model, other_), expected = last_of(model, other_);
  Interventions patches;
  for (size_t position = 0; position < other_.size(); ++position) {
    const auto begin = states.begin() + static_cast<std::ptrdiff_t>((other_.size() + position) * kModelWidth);
    patches.patches.push_back({.layer = 1, .position = position, .vector = {begin, begin + kModelWidth}});
  }
  EXPECT_EQ(last_of(intervene(model, patches), ids_), expected);
}

// Masked tokens have no rows, but the others keep their positions.
TEST_F(InterventionsTest, APatchIsAtAPosition) {
  const Model model = load();
  const std::vector<uint8_t> mask = {1, 0, 1, 1, 1};
  const TokenSequence one{.ids = ids_, .attention_mask = mask};
  const auto with_patch = [&](size_t position) {
    const Model changed = intervene(
        model, {.patches = {{.layer = 2, .position = position, .vector = std::vector<float>(kModelWidth, 7)}}});
    return changed.encode(std::span(&one, 1)).front().last_hidden_state;
  };
  const std::vector<float> patched = with_patch(2);
  EXPECT_EQ(std::vector<float>(patched.begin() + kModelWidth, patched.begin() + 2 * kModelWidth),
            std::vector<float>(kModelWidth, 7));
  EXPECT_NE(test::refusal(ErrorCode::kInvalidArgument, [&] { with_patch(1); }).find("a patch of token 1"),
            std::string::npos);
}

TEST_F(InterventionsTest, RefuseWhatTheModelDoesNotHave) {
  const Model model = load();
  const auto refuse = [&](const Interventions& interventions) {
    return test::refusal(ErrorCode::kInvalidArgument, [&] { check_interventions(interventions, model.config()); });
  };
  EXPECT_NE(refuse({.heads = {{2, 0}}}).find("head 2.0"), std::string::npos);
  EXPECT_NE(refuse({.heads = {{0, 3}}}).find("head 0.3"), std::string::npos);
  EXPECT_NE(refuse({.patches = {{3, 0, std::vector<float>(kModelWidth)}}}).find("after layer 3"), std::string::npos);
  EXPECT_NE(refuse({.patches = {{1, 0, std::vector<float>(7)}}}).find("of 7 numbers"), std::string::npos);
  EXPECT_NE(refuse({.patches = {{1, 0, std::vector<float>(kModelWidth, NAN)}}}).find("NaN"), std::string::npos);
}

}  // namespace
}  // namespace bert
