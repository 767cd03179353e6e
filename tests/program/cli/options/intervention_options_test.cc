// Tests the options that change forward passes, and the results of lens and importance.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

TEST(InterventionOptions, ChangeWhatEncodePrints) {
  const std::vector<std::string> encode = {"encode", "--format", "json", "--layers", "a dog"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), encode.begin(), encode.end());
    const ProgramResult result = run_program(more);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.json();
  };
  const nlohmann::json whole = with({}), without = with({"--without-heads", "3.1,3.2"});
  EXPECT_EQ(without["hidden_states"][3], whole["hidden_states"][3]);
  EXPECT_NE(without["hidden_states"][4], whole["hidden_states"][4]);
  EXPECT_NE(with({"--without-heads", "3.1,3.2", "--ablation", "mean"})["hidden_states"], without["hidden_states"]);
  const nlohmann::json other = run_program({"encode", "--format", "json", "--layers", "the cat"}).json();
  const nlohmann::json patched = with({"--patch", "5.1", "--patch", "5.2=1", "--patch-from", "the cat"});
  EXPECT_EQ(patched["hidden_states"][5][1], other["hidden_states"][5][1]);
  EXPECT_EQ(patched["hidden_states"][5][2], other["hidden_states"][5][1]);
  EXPECT_EQ(patched["hidden_states"][5][0], whole["hidden_states"][5][0]);
  EXPECT_EQ(patched["hidden_states"][4], whole["hidden_states"][4]);
}

TEST(InterventionOptions, ChangeWhatHeadsSay) {
  const std::string text = "a dog [MASK] an animal";
  EXPECT_NE(run_program({"fill-mask", text}).out, run_program({"fill-mask", "--without-heads", "11.0", text}).out);
  BERT_TEST_DATA_OR_SKIP(model, "family/tiny-rerank");
  const std::vector<std::string> classify = {"classify", "--model", model.string(), "a bird"};
  std::vector<std::string> changed = classify;
  changed.insert(changed.end(), {"--without-heads", "0.0"});
  EXPECT_NE(run_program(classify).out, run_program(changed).out);
}

TEST(InterventionOptions, RefuseWhatIsNoHeadOrPosition) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"--without-heads", "3"}, "'3': expected LAYER.HEAD"},
      {{"--without-heads", "3.x"}, "'3.x': expected LAYER.HEAD"},
      {{"--without-heads", "99.0"}, "head 99.0, expected a layer from 0 to 11 and a head from 0 to 4"},
      {{"--patch", "1.1"}, "--patch and --patch-from belong together"},
      {{"--patch", "1", "--patch-from", "a"}, "'1': expected LAYER.POSITION"},
      {{"--patch", "1.1=x", "--patch-from", "a"}, "'1.1=x': expected LAYER.POSITION"},
      {{"--patch", "99.1", "--patch-from", "a"}, "--patch: layer 99"},
      {{"--patch", "1.1=50", "--patch-from", "a"}, "token 50 of --patch-from, expected 0 to 2"},
      {{"--patch", "1.9=1", "--patch-from", "a"}, "a patch of token 9, expected one of its 4 tokens"},
      {{"--ablation", "mean"}, "--ablation is for --without-heads"},
  };
  for (const auto& [options, message] : wrong) {
    std::vector<std::string> command = {"encode", "a dog"};
    command.insert(command.end(), options.begin(), options.end());
    const ProgramResult result = run_program(command);
    EXPECT_NE(result.status, 0) << message;
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  }
}

TEST(FillMaskLayers, SayAWordForEachLayer) {
  const std::string text = "a dog [MASK] an animal";
  const nlohmann::json result = run_program({"fill-mask", "--layers", "--top-k", "2", "--format", "json", text}).json();
  const nlohmann::json last = run_program({"fill-mask", "--format", "json", text}).json();
  ASSERT_EQ(result["layers"].size(), 13u);
  EXPECT_EQ(result["layers"][12][0].size(), 2u);
  EXPECT_EQ(result["layers"][12][0][0]["score"], last["masks"][0][0]["score"]);
  EXPECT_EQ(result["last_word"][0].size(), 13u);
  EXPECT_EQ(result["last_word"][0][12], last["masks"][0][0]["score"]);
  EXPECT_NE(run_program({"fill-mask", "--layers", text}).out.find("The best word is “"), std::string::npos);
  EXPECT_EQ(run_program({"fill-mask", "--html", "x.html", text}).status, 2);
  EXPECT_NE(run_program({"fill-mask", "--layers", "a dog"}).err.find("no mask"), std::string::npos);
}

TEST(AttentionImportance, IsATableOfHeads) {
  const nlohmann::json result = run_program({"attention", "--importance", "--format", "json", "a dog"}).json();
  EXPECT_EQ(result["loss"].size(), 12u);
  EXPECT_EQ(result["loss"][0].size(), 5u);
  EXPECT_NEAR(result["whole"].get<double>(), 1, 1e-12);
  const std::string text = run_program({"attention", "--importance", "a dog"}).out;
  EXPECT_NE(text.find("Without the outputs of head "), std::string::npos) << text;
  EXPECT_EQ(run_program({"attention", "--importance", "--rows", "0", "a dog"}).status, 2);
  EXPECT_EQ(run_program({"attention", "--ablation", "mean", "a dog"}).status, 2);
}

}  // namespace
}  // namespace bert::test
