#include <gtest/gtest.h>

#include "bert/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/tiny_model.h"
#include "tests/tasks/heads/pipeline_cases.h"
#include "tokenizer/decoder/decoder.h"

namespace bert {
namespace {

TEST(FillMask, GivesTheReferencesWordsAndSequences) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-mlm");
  const Model model = Model::load(folder.string());
  const int32_t mask = mask_token_id(model.tokenizer());
  size_t cases = 0;
  for (const test::Json& c : test::pipeline_cases(folder)) {
    SCOPED_TRACE(c["id"]);
    const Encoding encoding = model.tokenizer().tokenize(c["text"].get<std::string>());
    EXPECT_EQ(encoding.ids, c["input_ids"].get<std::vector<int32_t>>());
    std::vector<int32_t> targets;
    if (c.contains("options") && c["options"].contains("targets")) {
      for (const std::string& word : c["options"]["targets"].get<std::vector<std::string>>()) {
        targets.push_back(model.tokenizer().id(word).value());
      }
    }
    const Logits logits = test::logits_of(model, Head::kMaskedLm, {encoding}, {.only_id = mask})[0];
    const auto got = mask_candidates(model.tokenizer(), encoding.ids, logits, 5, targets);
    const test::Json expected = c["masks"] == 1 ? test::Json::array({c["results"]}) : c["results"];
    ASSERT_EQ(got.size(), expected.size());
    for (size_t m = 0; m < got.size(); ++m) {
      ASSERT_EQ(got[m].size(), expected[m].size());
      for (size_t i = 0; i < got[m].size(); ++i) {
        EXPECT_EQ(got[m][i].id, expected[m][i]["token"]);
        EXPECT_EQ(got[m][i].token, expected[m][i]["token_str"].get<std::string>());
        // The expected texts are those of transformers 4.57, which removed spaces in contractions by default.
        EXPECT_EQ(clean_up_spaces(got[m][i].sequence, CleanUp::kTransformers),
                  expected[m][i]["sequence"].get<std::string>());
        EXPECT_NEAR(got[m][i].score, expected[m][i]["score"].get<double>(), 1e-5);
      }
    }
    ++cases;
  }
  EXPECT_EQ(cases, 105u);
}

TEST(FillMask, KnowsTheMaskThatTheFilesName) {
  std::string vocabulary = test::tiny_vocabulary(18);
  vocabulary.replace(vocabulary.find("[MASK]"), 6, "[GAP]");
  EXPECT_EQ(mask_token_id(Tokenizer::from_vocabulary(vocabulary, R"({"mask_token": "[GAP]"})")), 4);
  const test::TemporaryDirectory directory;
  directory.write("tokenizer.json", R"({"version": "1.0", "model": {"type": "WordPiece", "unk_token": "?",
    "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": {"?": 0, "[GAP]": 1, "<mask>": 2}}})");
  EXPECT_EQ(mask_token_id(Tokenizer::load(directory.path())), 2) << "no file names one";
  directory.write("tokenizer_config.json", R"({"mask_token": "[GAP]", "unk_token": "?"})");
  const Tokenizer named = Tokenizer::load(directory.path());
  EXPECT_EQ(mask_token_id(named), 1);
  EXPECT_EQ(named.unknown_id(), 0);
  directory.write("tokenizer_config.json", R"({"mask_token": "[NONE]"})");
  EXPECT_EQ(mask_token_id(Tokenizer::load(directory.path())), 3) << "added after the vocabulary, as the reference does";
}

// The reference's pipeline removes padding before it decodes.
TEST(FillMask, LeavesPaddingOutOfTheSequence) {
  const Tokenizer tokenizer = Tokenizer::from_vocabulary(test::tiny_vocabulary(18), "");
  EXPECT_EQ(tokenizer.padding_id(), 0);
  const std::vector<int32_t> ids = tokenizer.tokenize("the [MASK] [MASK]").ids;
  const std::vector<int32_t> targets = {0, 6};
  std::vector<float> logits(36);
  logits[0] = 1;
  const auto got = mask_candidates(tokenizer, ids, {2, 18, logits}, 2, targets);
  EXPECT_EQ(got[0][0].token, "[PAD]");
  EXPECT_EQ(got[0][0].sequence, "[CLS] the [MASK] [SEP]");
  EXPECT_EQ(got[0][1].sequence, "[CLS] the quick [MASK] [SEP]");
}

TEST(FillMask, RefusesOutputsAndTargetsThatDoNotFit) {
  const Tokenizer tokenizer = Tokenizer::from_vocabulary(test::tiny_vocabulary(18), "");
  const std::vector<int32_t> ids = tokenizer.tokenize("the [MASK]").ids;
  const auto refusal = [&](const Logits& logits, std::vector<int32_t> targets) {
    return test::error_of(ErrorCode::kInvalidArgument, [&] { mask_candidates(tokenizer, ids, logits, 3, targets); });
  };
  EXPECT_EQ(refusal({1, 18, std::vector<float>(18)}, {17}), "");
  EXPECT_EQ(refusal({1, 18, std::vector<float>(18)}, {5, 18}), "the target 18, expected an id below 18");
  EXPECT_EQ(refusal({1, 18, std::vector<float>(18)}, {-1}), "the target -1, expected an id below 18");
  EXPECT_EQ(refusal({1, 18, std::vector<float>(17)}, {}), "17 outputs as [1, 18], expected [1, 18] for 1 masks");
  EXPECT_NE(refusal({2, 18, std::vector<float>(36)}, {}), "");
}

TEST(FillMask, RefusesAModelWithoutTheHeadWithWhatItHas) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-qa");
  const Model model = Model::load(folder.string());
  EXPECT_EQ(model.heads(), std::vector<Head>{Head::kQuestionAnswering});
  try {
    model.require(Head::kMaskedLm);
    ADD_FAILURE() << "was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_STREQ(error.what(), ("the model in '" + folder.string() +
                                "' has no head for masked LM; it has those for question answering")
                                   .c_str());
  }
}

TEST(FillMask, GivesTheSameRowsForTheMasksAloneAndAmongAllTokens) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-mlm");
  const Model model = Model::load(folder.string());
  const std::vector<Encoding> texts = {model.tokenizer().tokenize("a [MASK] b"), model.tokenizer().tokenize("no mask"),
                                       model.tokenizer().tokenize("[MASK] and [MASK]")};
  const auto all = test::logits_of(model, Head::kMaskedLm, texts);
  const auto masks = test::logits_of(model, Head::kMaskedLm, texts, {.only_id = mask_token_id(model.tokenizer())});
  EXPECT_EQ(masks[0].rows, 1u);
  EXPECT_EQ(masks[1].rows, 0u);
  EXPECT_EQ(masks[2].rows, 2u);
  EXPECT_TRUE(std::equal(masks[0].values.begin(), masks[0].values.end(),
                         all[0].values.begin() + static_cast<std::ptrdiff_t>(2 * all[0].outputs)));
}

}  // namespace
}  // namespace bert
