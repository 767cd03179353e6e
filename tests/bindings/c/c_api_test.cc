// Compares the C interface with the C++ one, and tests what a C program cannot easily see. The C program is
// tests/bindings/c/c_api_test.c.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include <string>
#include <thread>
#include <vector>

#include "bert/bert.h"
#include "bert/model.h"
#include "tests/support/firing_models.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

class CApiTest : public ::testing::Test {
 protected:
  CApiTest() { test::write_tiny_model(directory_); }
  ~CApiTest() override { bert_model_free(model_); }

  bert_model* load() {
    EXPECT_EQ(bert_model_load(directory_.path().c_str(), nullptr, &model_), BERT_OK) << bert_error_message();
    return model_;
  }

  // pooling: the text of 1_Pooling/config.json.
  void write_modules(const std::string& pooling) const {
    directory_.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
      {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
    directory_.write("1_Pooling/config.json", pooling);
  }

  test::TemporaryDirectory directory_;
  bert_model* model_ = nullptr;
};

TEST_F(CApiTest, MergesAnAdapter) {
  const test::TemporaryDirectory adapter, merged;
  test::write_tiny_adapter(adapter, "somewhere");
  test::write_tiny_merged_model(merged);
  const std::string name = adapter.path().string();
  bert_load_options options = BERT_LOAD_OPTIONS_INIT;
  options.adapter = name.c_str();
  ASSERT_EQ(bert_model_load(directory_.path().c_str(), &options, &model_), BERT_OK) << bert_error_message();
  std::vector<float> vector(24);
  ASSERT_EQ(bert_embed_text(model_, "the fox", BERT_TO_NUL, nullptr, vector.data(), vector.size()), BERT_OK);
  EXPECT_EQ(vector, Model::load(merged.path().string()).embed("the fox"));
  bert_model* none = nullptr;
  options.adapter = "no-such-adapter";
  EXPECT_EQ(bert_model_load(directory_.path().c_str(), &options, &none), BERT_NOT_FOUND);
}

TEST_F(CApiTest, GivesTheBitsOfTheCppInterface) {
  const Model model = Model::load(directory_.path().string());
  const EncodedText expected = model.encode("The quick fox", {.hidden_states = true, .attentions = true});
  const std::vector<int32_t>& ids = expected.encoding.ids;
  const bert_sequence sequence = {ids.data(), nullptr, nullptr, ids.size()};

  EncodedSequence got;
  got.last_hidden_state.resize(expected.last_hidden_state.size());
  got.pooler_output.resize(expected.pooler_output.size());
  got.hidden_states.resize(expected.hidden_states.size());
  got.attentions.resize(expected.attentions.size());
  const auto floats = [](std::vector<float>& values) { return bert_floats{values.data(), values.size()}; };
  const bert_encode_buffers buffers = {floats(got.last_hidden_state), floats(got.pooler_output),
                                       floats(got.hidden_states), floats(got.attentions)};
  ASSERT_EQ(bert_encode(load(), &sequence, 1, &buffers), BERT_OK) << bert_error_message();
  EXPECT_EQ(got.last_hidden_state, expected.last_hidden_state);
  EXPECT_EQ(got.pooler_output, expected.pooler_output);
  EXPECT_EQ(got.hidden_states, expected.hidden_states);
  EXPECT_EQ(got.attentions, expected.attentions);

  std::vector<float> vector(24);
  ASSERT_EQ(bert_embed_text(model_, "The quick fox", BERT_TO_NUL, nullptr, vector.data(), 24), BERT_OK);
  EXPECT_EQ(vector, model.embed("The quick fox"));
}

TEST_F(CApiTest, PutsTheModelsPromptBeforeATextAsTheCppInterfaceDoes) {
  write_modules("{}");
  directory_.write("config_sentence_transformers.json",
                   R"({"prompts": {"query": "the quick "}, "default_prompt_name": "query"})");
  const Model model = Model::load(directory_.path().string());
  std::vector<float> vector(24), whole(24);
  ASSERT_EQ(bert_embed_text(load(), "fox", BERT_TO_NUL, nullptr, vector.data(), 24), BERT_OK) << bert_error_message();
  EXPECT_EQ(vector, model.embed("fox"));
  // Ids get no prompt.
  const Encoding encoding = model.tokenizer().tokenize("the quick fox");
  const bert_sequence sequence = {encoding.ids.data(), nullptr, nullptr, encoding.size()};
  ASSERT_EQ(bert_embed(model_, &sequence, 1, nullptr, whole.data(), 24), BERT_OK);
  EXPECT_EQ(vector, whole);
}

TEST_F(CApiTest, EncodesIdsWithoutATokenizer) {
  EXPECT_NE(bert_model_tokenizer(load()), nullptr);
  bert_model_free(model_);
  std::filesystem::remove(directory_.path() / "vocab.txt");
  EXPECT_EQ(bert_model_tokenizer(load()), nullptr);
  const std::vector<int32_t> ids = {2, 8, 3};
  const bert_sequence sequence = {ids.data(), nullptr, nullptr, ids.size()};
  std::vector<float> vector(24);
  EXPECT_EQ(bert_embed(model_, &sequence, 1, nullptr, vector.data(), 24), BERT_OK) << bert_error_message();
  EXPECT_EQ(bert_embed_text(model_, "fox", BERT_TO_NUL, nullptr, vector.data(), 24), BERT_NOT_FOUND);
  EXPECT_NE(std::string(bert_error_message()).find("no tokenizer"), std::string::npos) << bert_error_message();
}

TEST_F(CApiTest, ChecksTheWeightFiles) {
  EXPECT_EQ(bert_model_check_files(load()), BERT_OK);
  const std::filesystem::path weights = directory_.path() / "model.safetensors";
  std::filesystem::resize_file(weights, std::filesystem::file_size(weights) + 1);
  EXPECT_EQ(bert_model_check_files(model_), BERT_INVALID_FILE);
  EXPECT_NE(std::string(bert_error_message()).find("model.safetensors': grew to byte"), std::string::npos);
  EXPECT_EQ(bert_model_check_files(nullptr), BERT_INVALID_ARGUMENT);
}

TEST_F(CApiTest, GivesTheModelsPrompts) {
  write_modules("{}");
  directory_.write("config_sentence_transformers.json",
                   R"({"prompts": {"query": "the quick ", "passage": "fox: "}, "default_prompt_name": "query"})");
  char text[11];
  size_t bytes = 0;
  ASSERT_EQ(bert_model_prompt(load(), "passage", text, sizeof(text), &bytes), BERT_OK) << bert_error_message();
  EXPECT_STREQ(text, "fox: ");
  EXPECT_EQ(bytes, 5u);
  EXPECT_EQ(bert_model_prompt(model_, nullptr, text, sizeof(text), &bytes), BERT_OK) << bert_error_message();
  EXPECT_STREQ(text, "the quick ");
  EXPECT_EQ(bert_model_prompt(model_, nullptr, text, 10, &bytes), BERT_BUFFER_TOO_SMALL);
  EXPECT_EQ(bytes, 10u);
  EXPECT_EQ(bert_model_prompt(model_, "title", text, sizeof(text), nullptr), BERT_NOT_FOUND);
  EXPECT_NE(std::string(bert_error_message()).find("query"), std::string::npos) << bert_error_message();
  EXPECT_EQ(bert_model_prompt(nullptr, nullptr, text, sizeof(text), nullptr), BERT_INVALID_ARGUMENT);
}

TEST_F(CApiTest, EmbedsWithAPromptAndFewerDimensions) {
  write_modules("{}");
  directory_.write("config_sentence_transformers.json", R"({"prompts": {"query": "the quick "}})");
  const Model model = Model::load(directory_.path().string());
  const char* const text = "fox";
  bert_embed_options options = BERT_EMBED_OPTIONS_INIT;
  options.dimensions = 5;
  options.prompt = "query";
  size_t size = 0;
  ASSERT_EQ(bert_embed_get_size(load(), &options, &size), BERT_OK) << bert_error_message();
  ASSERT_EQ(size, 5u);
  const std::vector<float> expected = model.embed(text, {.dimensions = 5, .prompt = "query"});
  ASSERT_NE(expected, model.embed(text, {.dimensions = 5}));
  std::vector<float> vector(5);
  ASSERT_EQ(bert_embed_text(model_, text, BERT_TO_NUL, &options, vector.data(), 5), BERT_OK) << bert_error_message();
  EXPECT_EQ(vector, expected);
  ASSERT_EQ(bert_embed_texts(model_, &text, nullptr, 1, &options, vector.data(), 5, nullptr), BERT_OK);
  EXPECT_EQ(vector, expected);
  // An older caller's structure ends before `dimensions`, so the field is not read.
  options.struct_bytes = offsetof(bert_embed_options, dimensions);
  ASSERT_EQ(bert_embed_get_size(model_, &options, &size), BERT_OK) << bert_error_message();
  EXPECT_EQ(size, 24u);
  options.struct_bytes = sizeof(options);
  options.dimensions = 25;
  EXPECT_EQ(bert_embed_get_size(model_, &options, &size), BERT_INVALID_ARGUMENT);
  options.dimensions = 5;
  options.prompt = "title";
  EXPECT_EQ(bert_embed_text(model_, text, BERT_TO_NUL, &options, vector.data(), 5), BERT_NOT_FOUND);
}

TEST_F(CApiTest, ReportsProgressAndEndsWhereTheCallerSays) {
  constexpr size_t kTexts = 20'000;  // makes more batches than any computer has threads
  const std::vector<const char*> texts(kTexts, "the fox");
  std::vector<float> vectors(kTexts * 24);
  std::vector<bert_text_report> reports(kTexts);
  struct Calls {
    size_t limit;
    size_t texts = 0, tokens = 0;
  } calls{.limit = 1};
  bert_embed_options options = BERT_EMBED_OPTIONS_INIT;
  options.progress_context = &calls;
  options.progress = [](void* context, size_t done, size_t tokens) {
    auto& state = *static_cast<Calls*>(context);
    state.texts = done;
    state.tokens = tokens;
    return done < state.limit ? 1 : 0;
  };
  const auto embed = [&] {
    return bert_embed_texts(model_, texts.data(), nullptr, kTexts, &options, vectors.data(), vectors.size(),
                            reports.data());
  };
  load();
  ASSERT_EQ(embed(), BERT_CANCELLED);
  EXPECT_EQ(bert_error_message(), "cancelled after " + std::to_string(calls.texts) + " texts");
  ASSERT_GT(calls.texts, 0u);
  ASSERT_LT(calls.texts, kTexts);
  EXPECT_EQ(calls.tokens, 4 * calls.texts);
  EXPECT_EQ(reports[calls.texts - 1].status, BERT_OK);
  EXPECT_EQ(reports[calls.texts].status, BERT_CANCELLED);
  EXPECT_FALSE(std::isnan(vectors[24 * calls.texts - 1]));
  EXPECT_TRUE(std::isnan(vectors[24 * calls.texts]));

  calls.limit = kTexts + 1;
  ASSERT_EQ(embed(), BERT_OK) << bert_error_message();
  EXPECT_EQ(calls.texts, kTexts);
}

TEST_F(CApiTest, ReportsWhatIsNotReadOfALongText) {
  load();
  const std::string text = test::text_with_foxes(60, {});  // each word is one token
  const size_t most = bert_model_max_length(model_);
  std::vector<float> vector(bert_model_hidden_size(model_));
  bert_text_report report = {};
  bert_embed_options options = BERT_EMBED_OPTIONS_INIT;
  options.report = &report;
  const auto embed = [&] {
    return bert_embed_text(model_, text.data(), text.size(), &options, vector.data(), vector.size());
  };
  ASSERT_EQ(embed(), BERT_OK) << bert_error_message();
  EXPECT_EQ(report.status, BERT_OK);
  EXPECT_EQ(report.tokens, most);
  EXPECT_EQ(report.truncated_tokens, 62 - most);
  EXPECT_EQ(report.unknown_tokens, 0u);
  options.long_text = BERT_LONG_TEXT_ERROR;
  EXPECT_EQ(embed(), BERT_INVALID_TEXT);
  options.long_text = BERT_LONG_TEXT_WINDOWS;
  EXPECT_EQ(embed(), BERT_INVALID_ARGUMENT);
  EXPECT_STREQ(bert_error_message(), "long_text: windows, expected a text that is cut off, or an error");

  options.long_text = BERT_LONG_TEXT_ERROR;
  const char* const texts[] = {text.c_str(), "the fox"};
  std::vector<float> vectors(2 * vector.size());
  bert_text_report reports[2];
  EXPECT_EQ(bert_embed_texts(model_, texts, nullptr, 2, &options, vectors.data(), vectors.size(), reports),
            BERT_INVALID_TEXT);
  EXPECT_EQ(reports[0].status, BERT_INVALID_TEXT);
  EXPECT_EQ(reports[1].status, BERT_OK);
}

TEST_F(CApiTest, GivesTheLogitsOfTheCppInterface) {
  test::write_tiny_splade(directory_, "");
  const Model model = Model::load(directory_.path().string());
  const std::vector<int32_t> ids[] = {{2, 5, 6, 3}, {2, 3}};
  const uint8_t mask[] = {1, 1, 0, 1};
  const bert_sequence sequences[] = {{ids[0].data(), nullptr, mask, 4}, {ids[1].data(), nullptr, nullptr, 2}};
  const TokenSequence batch[] = {{.ids = ids[0], .attention_mask = mask}, {.ids = ids[1]}};
  const std::vector<Logits> expected = model.logits(Head::kMaskedLm, batch);
  std::vector<float> found[2];
  bert_floats logits[2];
  load();
  for (size_t i = 0; i < 2; ++i) {
    size_t rows = 0;
    size_t outputs = 0;
    ASSERT_EQ(bert_logits_get_sizes(model_, BERT_HEAD_MASKED_LM, &sequences[i], &rows, &outputs), BERT_OK)
        << bert_error_message();
    EXPECT_EQ(rows, expected[i].rows);
    EXPECT_EQ(outputs, expected[i].outputs);
    found[i].resize(rows * outputs);
    logits[i] = {found[i].data(), found[i].size()};
  }
  ASSERT_EQ(bert_logits(model_, BERT_HEAD_MASKED_LM, sequences, 2, logits), BERT_OK) << bert_error_message();
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(found[i], expected[i].values);

  --logits[1].capacity;
  EXPECT_EQ(bert_logits(model_, BERT_HEAD_MASKED_LM, sequences, 2, logits), BERT_BUFFER_TOO_SMALL);
  EXPECT_NE(std::string(bert_error_message()).find("logits of sequence 1"), std::string::npos) << bert_error_message();
  logits[0].data = nullptr;
  EXPECT_EQ(bert_logits(model_, BERT_HEAD_MASKED_LM, sequences, 2, logits), BERT_INVALID_ARGUMENT);
  EXPECT_EQ(bert_logits(model_, BERT_HEAD_TOKEN_CLASSIFICATION, sequences, 2, logits), BERT_NOT_FOUND);
  EXPECT_EQ(bert_logits(model_, 7, sequences, 2, logits), BERT_INVALID_ARGUMENT);
  EXPECT_EQ(bert_logits(model_, BERT_HEAD_MASKED_LM, nullptr, 0, nullptr), BERT_INVALID_ARGUMENT);
}

TEST_F(CApiTest, GivesTheLabelsOfAClassifier) {
  EXPECT_STREQ(bert_model_label(load(), 0), "LABEL_0");
  EXPECT_STREQ(bert_model_label(model_, 1), "LABEL_1");
  EXPECT_EQ(bert_model_label(model_, 2), nullptr);
  EXPECT_EQ(bert_model_label(nullptr, 0), nullptr);
}

TEST_F(CApiTest, GivesNoPromptWhereTheModelHasNone) {
  char text[1] = {'x'};
  EXPECT_EQ(bert_model_prompt(load(), nullptr, text, sizeof(text), nullptr), BERT_OK) << bert_error_message();
  EXPECT_STREQ(text, "");
  EXPECT_EQ(bert_model_prompt(model_, "query", text, sizeof(text), nullptr), BERT_NOT_FOUND);
}

TEST_F(CApiTest, TellsHowManyLayersOfAttentionThereAre) {
  load();
  EXPECT_EQ(bert_model_attention_layers(model_), bert_model_layers(model_));
  EXPECT_EQ(bert_model_attention_layers(nullptr), 0u);
  BERT_TEST_DATA_OR_SKIP(folder, "family/albert-inner-2");  // each pass has two layers
  for (const char* name : {"config.json", "model.safetensors"}) directory_.write(name, test::read_file(folder / name));
  directory_.write("tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer"})");
  bert_model_free(model_);
  load();
  ASSERT_NE(model_, nullptr);
  EXPECT_EQ(bert_model_attention_layers(model_), 2 * bert_model_layers(model_));
  const int32_t id = 1;
  const bert_sequence sequence = {&id, nullptr, nullptr, 1};
  bert_encode_sizes sizes = BERT_ENCODE_SIZES_INIT;
  ASSERT_EQ(bert_encode_get_sizes(model_, &sequence, &sizes), BERT_OK);
  EXPECT_EQ(sizes.attentions, bert_model_attention_layers(model_) * bert_model_heads(model_));
}

TEST_F(CApiTest, GivesNoPooledOutputWhereThereIsNoPooler) {
  test::write_tiny_model(directory_, {.pooler = false});
  const int32_t ids[] = {2, 5, 3};
  const bert_sequence sequence = {ids, nullptr, nullptr, 3};
  bert_encode_sizes sizes = BERT_ENCODE_SIZES_INIT;
  ASSERT_EQ(bert_encode_get_sizes(load(), &sequence, &sizes), BERT_OK);
  EXPECT_EQ(sizes.pooler_output, 0u);
  EXPECT_EQ(bert_model_has_pooler(model_), 0);
  float untouched = 7;
  bert_encode_buffers buffers = {};
  buffers.pooler_output = {&untouched, 1};
  EXPECT_EQ(bert_encode(model_, &sequence, 1, &buffers), BERT_OK);
  EXPECT_EQ(untouched, 7);
  bert_embed_options options = BERT_EMBED_OPTIONS_INIT;
  options.pooling = BERT_POOLING_POOLER;
  std::vector<float> vector(24);
  EXPECT_EQ(bert_embed(model_, &sequence, 1, &options, vector.data(), 24), BERT_NOT_FOUND);
}

TEST_F(CApiTest, NamesTheErrorsOfFiles) {
  directory_.write("config.json", "{");
  EXPECT_EQ(bert_model_load(directory_.path().c_str(), nullptr, &model_), BERT_INVALID_FILE);
  EXPECT_NE(std::string(bert_error_message()).find("config.json"), std::string::npos);
  directory_.write("config.json", R"({"model_type": "gpt2"})");
  EXPECT_EQ(bert_model_load(directory_.path().c_str(), nullptr, &model_), BERT_UNSUPPORTED);
  EXPECT_NE(std::string(bert_error_message()).find("gpt2"), std::string::npos);
}

TEST_F(CApiTest, RefusesNumbersThatAreNone) {
  test::write_tiny_model(directory_, {}, [](test::TinyTensors& tensors) {
    for (auto& [name, tensor] : tensors) {
      if (name.find("LayerNorm.weight") != std::string::npos) tensor.values[0] = NAN;
    }
  });
  std::vector<float> vector(24);
  EXPECT_EQ(bert_embed_text(load(), "The fox", BERT_TO_NUL, nullptr, vector.data(), 24), BERT_NON_FINITE);
}

// The modules after the encoder decide the size of a vector, which hidden_size does not.
TEST_F(CApiTest, FillsVectorsOfTheModulesSize) {
  write_modules(R"({"pooling_mode": ["mean", "cls", "max"]})");
  const Model model = Model::load(directory_.path().string());
  const std::vector<float> expected = model.embed("fox");
  const Encoding encoding = model.tokenizer().tokenize("fox");
  const bert_sequence sequence = {encoding.ids.data(), nullptr, nullptr, encoding.size()};
  const char* const text = "fox";
  size_t size = 0;
  ASSERT_EQ(bert_embed_get_size(load(), nullptr, &size), BERT_OK) << bert_error_message();
  ASSERT_EQ(size, 72u);
  std::vector<float> vector(size);
  EXPECT_EQ(bert_embed_text(model_, text, BERT_TO_NUL, nullptr, vector.data(), 24), BERT_BUFFER_TOO_SMALL);
  EXPECT_EQ(bert_embed_texts(model_, &text, nullptr, 1, nullptr, vector.data(), 24, nullptr), BERT_BUFFER_TOO_SMALL);
  EXPECT_EQ(bert_embed(model_, &sequence, 1, nullptr, vector.data(), 24), BERT_BUFFER_TOO_SMALL);
  EXPECT_EQ(vector, std::vector<float>(size));
  ASSERT_EQ(bert_embed_text(model_, text, BERT_TO_NUL, nullptr, vector.data(), size), BERT_OK) << bert_error_message();
  EXPECT_EQ(vector, expected);
  ASSERT_EQ(bert_embed_texts(model_, &text, nullptr, 1, nullptr, vector.data(), size, nullptr), BERT_OK);
  EXPECT_EQ(vector, expected);
  ASSERT_EQ(bert_embed(model_, &sequence, 1, nullptr, vector.data(), size), BERT_OK);
  EXPECT_EQ(vector, expected);
  bert_embed_options mean = BERT_EMBED_OPTIONS_INIT;
  mean.pooling = BERT_POOLING_MEAN;
  ASSERT_EQ(bert_embed_get_size(model_, &mean, &size), BERT_OK);
  EXPECT_EQ(size, 24u);
  EXPECT_EQ(bert_embed_get_size(model_, nullptr, nullptr), BERT_INVALID_ARGUMENT);
}

TEST_F(CApiTest, RefusesCountsThatNoMemoryHolds) {
  const int32_t id = 0;
  const bert_sequence sequence = {&id, nullptr, nullptr, 1};
  bert_encode_buffers buffers = {};
  float vector[24];
  EXPECT_EQ(bert_encode(load(), &sequence, SIZE_MAX, &buffers), BERT_INVALID_ARGUMENT);
  EXPECT_EQ(bert_embed(model_, &sequence, SIZE_MAX, nullptr, vector, 24), BERT_INVALID_ARGUMENT);
  const char* const text = "fox";
  EXPECT_EQ(bert_embed_texts(model_, &text, nullptr, SIZE_MAX, nullptr, vector, 24, nullptr), BERT_INVALID_ARGUMENT);
  EXPECT_EQ(bert_embed(model_, &sequence, SIZE_MAX / 1000, nullptr, vector, 24), BERT_BUFFER_TOO_SMALL);
  EXPECT_EQ(bert_embed(model_, &sequence, 2, nullptr, vector, 24), BERT_BUFFER_TOO_SMALL);
  EXPECT_STREQ(bert_error_message(), "room for 24 floats of vectors, expected 2 times 24");
  const bert_sequence endless = {&id, nullptr, nullptr, SIZE_MAX / 2};
  bert_encode_sizes sizes = BERT_ENCODE_SIZES_INIT;
  EXPECT_EQ(bert_encode_get_sizes(model_, &endless, &sizes), BERT_INVALID_ARGUMENT);
  EXPECT_EQ(bert_encode_get_sizes(model_, &sequence, &sizes), BERT_OK);
}

TEST_F(CApiTest, GivesABlankTokenItsText) {
  directory_.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n\nfox\n");
  bert_tokenizer* tokenizer = nullptr;
  ASSERT_EQ(bert_tokenizer_load(directory_.path().c_str(), nullptr, &tokenizer), BERT_OK) << bert_error_message();
  char text[4] = "abc";
  size_t bytes = 9;
  EXPECT_EQ(bert_token_text(tokenizer, 5, text, sizeof(text), &bytes), BERT_OK) << bert_error_message();
  EXPECT_STREQ(text, "");
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(bert_token_text(tokenizer, 7, text, sizeof(text), &bytes), BERT_NOT_FOUND);
  bert_tokenizer_free(tokenizer);
}

TEST_F(CApiTest, KeepsALongMessageWholeCharacterByCharacter) {
  std::string name = "x";
  for (int i = 0; i < 2000; ++i) name += "\u00E9";
  ASSERT_EQ(bert_model_load(name.c_str(), nullptr, &model_), BERT_NOT_FOUND);
  const std::string message = bert_error_message();
  EXPECT_GT(message.size(), 1000u);
  EXPECT_LT(message.size(), 2048u);
  EXPECT_LT(static_cast<unsigned char>(message.back()) & 0xC0, 0xC0) << "ends within a character";
}

TEST_F(CApiTest, GivesAThreadThatHasNotFailedNoMessage) {
  ASSERT_NE(bert_model_load("no/such", nullptr, &model_), BERT_OK);
  std::string message = "not asked";
  std::thread([&] { message = bert_error_message(); }).join();
  EXPECT_EQ(message, "");
}

}  // namespace
}  // namespace bert
