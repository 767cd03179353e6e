// Checks that a text has the same result in a call for one text, in run_one(), and in a call for many texts.
#include <string>
#include <string_view>
#include <vector>

#include "bert/text_pipeline.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

class OneTextTest : public test::TinyModelTest {
 protected:
  static constexpr std::string_view kText = "the xyzzy fox";  // xyzzy is unknown
};

// The text has five tokens, each with one coarse row.
TEST_F(OneTextTest, HasItsCoarseRows) {
  test::write_tiny_coarse_model(directory_);
  const Model model = Model::load(directory_.path().string(), {.precision = Precision::kInt8});
  const std::vector<std::string_view> texts = {"a dog", kText, "the"};
  EXPECT_EQ(model.encode(kText).coarse_rows, 5u);
  EXPECT_EQ(model.encode(texts)[1].coarse_rows, 5u);
  EXPECT_EQ(model.embed(texts).reports[1].coarse_rows, 5u);
  EXPECT_EQ(model.vectors(texts, {.dense = EmbedOptions{}}).reports[1].coarse_rows, 5u);
  EXPECT_EQ(run_one(model, EncodeOptions{}, {.text = std::string(kText)}).tokens.coarse_rows(), 5u);
  EXPECT_EQ(Model::load(directory_.path().string()).embed(texts).reports[1].coarse_rows, 0u);
  EXPECT_EQ(load({}, {}, {.precision = Precision::kInt8}).embed(texts).reports[1].coarse_rows, 0u);
}

TEST_F(OneTextTest, HasItsStatesTokensAndUnknownTokens) {
  const Model model = load();
  const EncodeOptions options{.hidden_states = true, .attentions = true};
  const EncodedText one = model.encode(kText, options);
  const TextResult run = run_one(model, options, {.text = std::string(kText), .tag = 7});
  const EncodedText of_many = model.encode(std::vector<std::string_view>{kText, "a dog"}, options)[0];
  EXPECT_EQ(one.unknown_tokens, 1u);
  EXPECT_EQ(run.tokens.unknown_tokens, 1u);
  EXPECT_EQ(of_many.unknown_tokens, 1u);
  EXPECT_EQ(std::any_cast<int>(run.input.tag), 7);
  EXPECT_EQ(run.input.text, kText);
  for (const EncodedSequence* other :
       {static_cast<const EncodedSequence*>(&of_many), &std::get<EncodedSequence>(run.output)}) {
    EXPECT_EQ(one.tokens, other->tokens);
    EXPECT_EQ(one.hidden, other->hidden);
    EXPECT_EQ(one.last_hidden_state, other->last_hidden_state);
    EXPECT_EQ(one.pooler_output, other->pooler_output);
    EXPECT_EQ(one.hidden_states, other->hidden_states);
    EXPECT_EQ(one.attentions, other->attentions);
  }
  for (const Encoding* other : {&run.tokens.encoding, &of_many.encoding}) {
    EXPECT_EQ(one.encoding.ids, other->ids);
    EXPECT_EQ(one.encoding.type_ids, other->type_ids);
    EXPECT_EQ(one.encoding.offsets, other->offsets);
    EXPECT_EQ(one.encoding.truncated_tokens, other->truncated_tokens);
  }
}

TEST_F(OneTextTest, HasItsVector) {
  const Model model = load();
  const EmbedOptions mean{.pooling = PoolingMode::kMean};
  const std::vector<float> one = model.embed(kText, mean);
  EXPECT_EQ(one.size(), model.embedding_size(mean));
  EXPECT_EQ(one, model.vectors(kText, {.dense = mean}).dense);
  EXPECT_EQ(one, run_one(model, VectorRequest{.dense = mean}, {.text = std::string(kText)}).vectors().dense);
  EXPECT_EQ(one, model.embed(std::vector<std::string_view>{kText}, mean).vectors);
}

TEST_F(OneTextTest, OfAPairHasBothTexts) {
  const Model model = load();
  const EncodedText one = model.encode(kText, "a dog", {});
  const TextResult run = run_one(model, EncodeOptions{}, {.text = std::string(kText), .pair = "a dog"});
  EXPECT_EQ(one.encoding.ids, run.tokens.encoding.ids);
  EXPECT_EQ(one.encoding.type_ids, run.tokens.encoding.type_ids);
  EXPECT_EQ(one.last_hidden_state, std::get<EncodedSequence>(run.output).last_hidden_state);
}

TEST_F(OneTextTest, ThrowsItsError) {
  const Model model = load();
  const auto run = [&](TextItem item, const TextOptions& options = {}) {
    run_one(model, EncodeOptions{}, std::move(item), options);
  };
  EXPECT_NE(test::error_of(ErrorCode::kInvalidText, [&] { run({.text = "\xC0"}); }).find("not valid UTF-8"),
            std::string::npos);
  EXPECT_EQ(test::error_of(ErrorCode::kIo, [&] { run({.error = Error(ErrorCode::kIo, "line 5")}); }), "line 5");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { run({.text = "a"}, {.windows = true}); }),
            "windows of one text, expected a TextPipeline");
}

}  // namespace
}  // namespace bert
