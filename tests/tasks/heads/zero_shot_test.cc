// Compares the scores of zero-shot classification with calculations by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "bert/tasks.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

ModelConfig nli(std::vector<std::optional<std::string>> labels) {
  ModelConfig config;
  config.labels = std::move(labels);
  return config;
}

Logits row(std::vector<float> values) { return {.rows = 1, .outputs = values.size(), .values = values}; }

const std::vector<std::string> kCandidates = {"a", "b"};

TEST(ZeroShot, PutsTheLabelIntoTheTemplate) {
  EXPECT_EQ(hypothesis(kHypothesisTemplate, "sport"), "This example is sport.");
  EXPECT_EQ(hypothesis("{}", "{}"), "{}");
  for (const char* wrong : {"no place", "{} and {}"}) {
    EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { hypothesis(wrong, "sport"); }),
              "hypothesis template '" + std::string(wrong) +
                  "': expected {} once or {0}, where the label goes, and braces of the text as {{ and }}");
  }
}

// The expected texts are those of Python 3.11.
TEST(ZeroShot, ReadsTheTemplateAsPythonsFormat) {
  EXPECT_EQ(hypothesis("{0} is {0}", "L"), "L is L");
  EXPECT_EQ(hypothesis("{00}", "L"), "L");
  EXPECT_EQ(hypothesis("{{}}: {}", "L"), "{}: L");
  EXPECT_EQ(hypothesis("{{{}}}", "L"), "{L}");
  EXPECT_EQ(hypothesis("{}{{", "L"), "L{");
  EXPECT_EQ(hypothesis("{{0}}", "L"), "{0}");
  for (const char* wrong : {"{}{0}", "{", "}", "{}}", "{{}", "a{b}", "{1}", "{0}{1}", "{ 0}", "{+0}", "{", "{0", ""}) {
    test::error_of(ErrorCode::kInvalidArgument, [&] { hypothesis(wrong, "L"); });
  }
}

TEST(ZeroShot, FindsTheOutputOfEntailment) {
  EXPECT_EQ(entailment_output(nli({"contradiction", "ENTAILMENT", "neutral"})), 1u);
  EXPECT_EQ(entailment_output(nli({"not_entailment", std::nullopt, "entailed", "entailment"})), 2u);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument,
                           [] {
                             entailment_output(nli({"yes", "no"}));
                           }),
            "zero-shot classification needs a classifier of natural language inference, with a label that begins with "
            "'entail' and another; this model's labels are 'yes', 'no'");
  test::error_of(ErrorCode::kInvalidArgument, [] { entailment_output(nli({"entailment"})); });
}

TEST(ZeroShot, IsTheSoftmaxOfEntailmentOverTheLabels) {
  const std::vector<Logits> logits = {row({9, 0, 0}), row({0, 0, std::log(3.0f)})};
  const auto scores = zero_shot_scores(nli({"contradiction", "neutral", "entailment"}), kCandidates, logits);
  EXPECT_EQ(scores[0].label, "b");
  EXPECT_NEAR(scores[0].score, 0.75, 1e-7);
  EXPECT_NEAR(scores[1].score, 0.25, 1e-7);
}

TEST(ZeroShot, OfSeveralLabelsEachIsAgainstItsContradiction) {
  const std::vector<Logits> logits = {row({std::log(3.0f), 50, 0}), row({0, 50, std::log(4.0f)})};
  const auto scores = zero_shot_scores(nli({"contradiction", "neutral", "entailment"}), kCandidates, logits, true);
  EXPECT_EQ(scores[0].label, "b");
  EXPECT_NEAR(scores[0].score, 0.8, 1e-7);
  EXPECT_NEAR(scores[1].score, 0.25, 1e-7);
  // If entailment is the first output, contradiction is the last one.
  const auto first = zero_shot_scores(nli({"entailment", "neutral", "contradiction"}), kCandidates, logits, true);
  EXPECT_EQ(first[0].label, "a");
  EXPECT_NEAR(first[0].score, 0.75, 1e-7);
}

TEST(ZeroShot, OneLabelStandsAlone) {
  const std::vector<Logits> logits = {row({0, std::log(3.0f)})};
  EXPECT_NEAR(zero_shot_scores(nli({"not", "entailment"}), std::span(kCandidates).first(1), logits)[0].score, 0.75,
              1e-7);
}

TEST(ZeroShot, NeedsTheOutputsOfEachLabel) {
  const ModelConfig config = nli({"not", "entailment"});
  const std::vector<Logits> one = {row({0, 1})}, wide = {row({0, 1, 2}), row({0, 1, 2})};
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { zero_shot_scores(config, kCandidates, one); }),
            "1 outputs for 2 candidate labels, expected one for each label, and at least one");
  test::error_of(ErrorCode::kInvalidArgument, [&] { zero_shot_scores(config, {}, {}); });
  test::error_of(ErrorCode::kInvalidArgument, [&] { zero_shot_scores(config, kCandidates, wide); });
}

}  // namespace
}  // namespace bert
