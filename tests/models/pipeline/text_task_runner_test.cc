// Tests a task without a queue: its first checks, which texts may share a pass, and roles.
#include "bert/text_pipeline.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

const VectorRequest kDense{.dense = EmbedOptions{}};

class TextTaskRunnerTest : public test::TinyModelTest {
 protected:
  static TextResult compute(const TextTaskRunner& runner, TextItem item) {
    TextResult result = std::move(runner.cut(std::move(item)).front());
    TextResult* const pass[] = {&result};
    runner.compute(pass);
    return result;
  }
};

TEST_F(TextTaskRunnerTest, ComputesAPassOfTextsAndLeavesOutThoseThatFailed) {
  const Model model = load();
  const TextTaskRunner runner(model, kDense);
  std::vector<TextResult> results;
  for (const char* text : {"the fox", "", "a dog"}) {
    TextItem item{.text = text};
    if (item.text.empty()) item.error = Error(ErrorCode::kIo, "not read");
    results.push_back(std::move(runner.cut(std::move(item), results.size()).front()));
  }
  TextResult* const pass[] = {&results[0], &results[1], &results[2]};
  runner.compute(pass);
  EXPECT_EQ(results[0].vectors().dense, model.embed("the fox"));
  EXPECT_STREQ(results[1].error->what(), "not read");
  EXPECT_TRUE(results[1].vectors().dense.empty());
  EXPECT_EQ(results[2].vectors().dense, model.embed("a dog"));
  EXPECT_EQ(results[2].input.index, 2u);
}

TEST_F(TextTaskRunnerTest, EndsBetweenLayersWhenItsCallerSaysSo) {
  const Model model = load();
  const TextTaskRunner runner(model, kDense);
  TextResult one = runner.cut({.text = "the fox"}).front(), two = runner.cut({.text = "a dog"}).front();
  TextResult* const pass[] = {&one, &two};
  size_t asked = 0;
  runner.compute(pass, [&] { return ++asked < 2; });
  EXPECT_EQ(asked, 2u);  // a cancelled pass is not retried for each text
  for (const TextResult* result : pass) {
    ASSERT_TRUE(result->error);
    EXPECT_EQ(result->error->code(), ErrorCode::kCancelled);
    EXPECT_TRUE(result->vectors().dense.empty());
  }
  one.error.reset();
  TextResult* const again[] = {&one};
  runner.compute(again, [] { return true; });
  EXPECT_EQ(one.vectors().dense, model.embed("the fox"));
}

TEST_F(TextTaskRunnerTest, SharesPassesOfTheSameComputationOnly) {
  const Model model = load(), other = load();
  const TextTask tasks[] = {std::monostate{},
                            EncodeOptions{},
                            EncodeOptions{.attentions = true},
                            kDense,
                            VectorRequest{.dense = EmbedOptions{.normalize = true}},
                            VectorRequest{.dense = EmbedOptions{.dimensions = 3}},
                            VectorRequest{.dense = EmbedOptions{.pooling = PoolingMode::kMax}}};
  for (size_t i = 0; i < std::size(tasks); ++i) {
    for (size_t k = 0; k < std::size(tasks); ++k) {
      EXPECT_EQ(TextTaskRunner(model, tasks[i]).shares_passes_with(TextTaskRunner(model, tasks[k])), i == k)
          << i << ", " << k;
    }
    EXPECT_FALSE(TextTaskRunner(model, tasks[i]).shares_passes_with(TextTaskRunner(other, tasks[i])));
  }
  const VectorRequest prompted{.dense = EmbedOptions{}, .prompt_text = "the "};
  EXPECT_TRUE(TextTaskRunner(model, prompted).shares_passes_with(TextTaskRunner(model, kDense)))
      << "a prompt is in the ids";
}

TEST_F(TextTaskRunnerTest, HasTheTasksOwnLimitByDefault) {
  const Model model = load({.positions = 8});
  EXPECT_EQ(default_tokenize_options(model, kDense).max_length, 8u);
  EXPECT_EQ(default_tokenize_options(model, std::monostate{}).max_length, 8u);
  const VectorRequest by_role{.tokens = true, .role = TextRole::kQuery};
  EXPECT_EQ(default_tokenize_options(model, by_role).max_length, 0u) << "the role's, as tokenize by role has it";
  const TextTaskRunner runner(model, kDense);
  EXPECT_EQ(runner.cut({.text = "the quick brown fox jumps the lazy dog"}).front().tokens.encoding.size(), 8u);
}

TEST_F(TextTaskRunnerTest, RefusesWhatFailsForEveryText) {
  const Model model = load();
  const auto refused = [&](ErrorCode code, const TextTask& task, const TextOptions& options = {}) {
    return test::refusal(code, [&] { TextTaskRunner(model, task, options); });
  };
  EXPECT_EQ(refused(ErrorCode::kInvalidArgument, kDense, {.tokenize = TokenizeOptions{.max_length = 1000}}),
            "max_length 1000, expected at most " + std::to_string(model.max_positions()) + ", the model's positions");
  refused(ErrorCode::kNotFound, HeadOptions{Head::kNextSentence});
  refused(ErrorCode::kNotFound, VectorRequest{.dense = EmbedOptions{}, .prompt = "no such prompt"});
  refused(ErrorCode::kInvalidArgument, VectorRequest{});
}

// As in sentence-transformers' encode_query and encode_document, the prompt is the first that has a name of the role.
TEST_F(TextTaskRunnerTest, PutsARolesPromptBeforeTheText) {
  directory_.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  directory_.write("1_Pooling/config.json", "{}");
  directory_.write("config_sentence_transformers.json",
                   R"({"prompts": {"query": "quick ", "passage": "lazy ", "corpus": "brown "},
                       "default_prompt_name": "corpus"})");
  const Model model = load();
  const auto text = [&](const VectorRequest& request) {
    return compute(TextTaskRunner(model, request), {.text = "fox"}).input.text;
  };
  EXPECT_EQ(text(kDense), "brown fox") << "the default prompt";
  EXPECT_EQ(text({.dense = EmbedOptions{}, .role = TextRole::kQuery}), "quick fox");
  EXPECT_EQ(text({.dense = EmbedOptions{}, .role = TextRole::kDocument}), "lazy fox");
  EXPECT_EQ(text({.dense = EmbedOptions{}, .role = TextRole::kQuery, .prompt = "corpus"}), "brown fox");
  EXPECT_EQ(text({.dense = EmbedOptions{.prompt = "query"}, .role = TextRole::kDocument}), "quick fox");
  directory_.write("config_sentence_transformers.json",
                   R"({"prompts": {"corpus": "brown "}, "default_prompt_name": "corpus"})");
  EXPECT_EQ(load().prompt(VectorRequest{.dense = EmbedOptions{}, .role = TextRole::kQuery}), "");
}

TEST_F(TextTaskRunnerTest, ReadsEachItemByItsOwnRole) {
  directory_.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""}])");
  directory_.write("config_sentence_transformers.json",
                   R"({"model_type": "ColBERT", "query_prefix": "the", "query_length": 8})");
  const Model model = load();
  const TextTaskRunner runner(model, VectorRequest{.tokens = true, .role = TextRole::kDocument});
  std::vector<TextResult> results;
  results.push_back(std::move(runner.cut({.text = "the fox", .role = TextRole::kQuery}).front()));
  results.push_back(std::move(runner.cut({.text = "the fox"}).front()));
  TextResult* const pass[] = {&results[0], &results[1]};
  runner.compute(pass);
  for (const TextResult& result : results) {
    const TextVectors alone = model.vectors("the fox", {.tokens = true, .role = result.input.role});
    EXPECT_TRUE(test::same_bits(result.vectors().tokens.values, alone.tokens.values));
  }
  EXPECT_GT(results[0].vectors().tokens.tokens.size(), results[1].vectors().tokens.tokens.size());
}

}  // namespace
}  // namespace bert
