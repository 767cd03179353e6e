// Tests how Model::load reads the static models of StaticEmbedding and model2vec. The expected numbers are calculated
// by hand. tests/reference/static_models.py compares results with the libraries'.
#include "models/sentence/static_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bert/model.h"
#include "engine/base/quote.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

using test::TestTensor;
using Floats = std::vector<float>;

constexpr const char* kVocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\n";

class StaticTableTest : public ::testing::Test {
 protected:
  // Returns a table in which the row of id i is [i, 10 * i].
  static Floats rows() { return {0, 0, 1, 10, 2, 20, 3, 30, 4, 40, 5, 50}; }

  void write(const std::vector<TestTensor>& tensors) const {
    directory_.write("vocab.txt", kVocabulary);
    directory_.write("model.safetensors", test::image_of(tensors));
  }
  void write_static_embedding(const std::string& folder = "") const {
    const std::string place = folder.empty() ? "" : folder + "/";
    directory_.write(place + "vocab.txt", kVocabulary);
    directory_.write(place + "model.safetensors",
                     test::image_of({{"embedding.weight", "F32", {6, 2}, test::bytes_of(rows())}}));
    directory_.write("modules.json",
                     R"([{"type": "sentence_transformers.models.StaticEmbedding", "path": ")" + folder + "\"}]");
  }
  void write_model2vec(const std::vector<TestTensor>& tensors, const std::string& config = "") const {
    write(tensors);
    directory_.write("config.json", R"({"model_type": "model2vec")" + config + "}");
  }
  Model load() const { return Model::load(directory_.path().string(), {.threads = 2}); }
  std::string error() const {
    return test::error_of(ErrorCode::kInvalidFile, [&] { load(); });
  }

  const test::TemporaryDirectory directory_;
};

TEST_F(StaticTableTest, IsTheMeanOfTheRowsWithoutSpecialTokens) {
  write_static_embedding();
  const Model model = load();
  EXPECT_EQ(model.embedding_size(), 2u);
  EXPECT_EQ(model.config().num_hidden_layers, 0u);
  EXPECT_EQ(model.tokenizer().tokenize("a b").ids, (std::vector<int32_t>{4, 5}));
  EXPECT_EQ(model.embed("a b"), (Floats{4.5f, 45}));
  EXPECT_EQ(model.embed("a unknown"), (Floats{2.5f, 25})) << "sentence-transformers counts the unknown token's row";
  EXPECT_EQ(model.embed(""), (Floats{0, 0}));
}

TEST_F(StaticTableTest, ReadsTheFolderThatModulesNamesAndTheModulesAfterIt) {
  write_static_embedding("0_StaticEmbedding");
  directory_.write("modules.json", R"([
      {"type": "sentence_transformers.sentence_transformer.modules.static_embedding.StaticEmbedding",
       "path": "0_StaticEmbedding"},
      {"type": "sentence_transformers.models.Normalize", "path": "1_Normalize"}])");
  const Model model = load();
  EXPECT_TRUE(model.pooling().normalize);
  EXPECT_TRUE(test::within(1e-7, model.embed("b"), (std::vector<double>{0.0995037190, 0.9950371902})));
}

TEST_F(StaticTableTest, LeavesTheUnknownTokenOutAsModel2vecDoes) {
  write_model2vec({{"embeddings", "F32", {6, 2}, test::bytes_of(rows())}});
  const Model model = load();
  EXPECT_EQ(model.embed("a unknown b"), (Floats{4.5f, 45}));
  EXPECT_EQ(model.embed("unknown"), (Floats{0, 0}));
  EXPECT_EQ(model.max_length(), 512u) << "model2vec's default";
}

// Returns a tokenizer.json that splits texts at spaces.
std::string tokenizer_json(const std::string& model) {
  return R"({"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "WhitespaceSplit"}, "model": )" + model +
         "}";
}

// The expected values are those of model2vec 0.10.
TEST_F(StaticTableTest, LeavesOutTheUnknownTokenOfTheTokenizersModel) {
  write_model2vec({{"embeddings", "F32", {6, 2}, test::bytes_of(rows())}});
  const std::string vocab = R"("vocab": {"[UNK]": 0, "<unk>": 1, "c": 2, "?": 3, "a": 4, "b": 5})";
  const auto embed = [&](const std::string& model, const std::string& text) {
    directory_.write("tokenizer.json", tokenizer_json(model));
    return load().embed(text);
  };
  const std::string word_level = R"({"type": "WordLevel", )" + vocab + R"(, "unk_token": )";
  EXPECT_EQ(embed(word_level + R"("?"})", "a x [UNK] b <unk>"), (Floats{2.5f, 25})) << "names are tokens like others";
  EXPECT_EQ(embed(word_level + R"("<unk>"})", "a x [UNK] b ?"), (Floats{3, 30}));
  EXPECT_EQ(embed(word_level + R"("[UNK]"})", "a x <unk> b"), (Floats{10 / 3.0f, 100 / 3.0f}));
  const std::string bpe = R"({"type": "BPE", "merges": [], )" + vocab + R"(, "unk_token": )";
  EXPECT_EQ(embed(bpe + "null}", "a x b"), (Floats{4.5f, 45}));
  EXPECT_EQ(embed(bpe + R"("?"})", "a x b c"), (Floats{11 / 3.0f, 110 / 3.0f}));
  const std::string unigram = R"({"type": "Unigram", "vocab": [["[UNK]", 0], ["<unk>", 0], ["c", -1], ["?", -1],
                                                               ["a", -1], ["b", -1]], "unk_id": )";
  EXPECT_EQ(embed(unigram + "3}", "a x ? b"), (Floats{4.5f, 45}));
  EXPECT_EQ(embed(unigram + "null}", "a ? b"), (Floats{4, 40}));
}

TEST_F(StaticTableTest, ReadsTokenizerJsonWithoutTheFilesBesideIt) {
  write_model2vec({{"embeddings", "F32", {6, 2}, test::bytes_of(rows())}});
  directory_.write("tokenizer.json", tokenizer_json(R"({"type": "WordPiece", "unk_token": "?", "vocab": {"[UNK]": 0,
      "+b": 1, "c": 2, "?": 3, "a": 4, "b": 5}, "continuing_subword_prefix": "+", "max_input_chars_per_word": 9})"));
  directory_.write("tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer", "mask_token": "[M]"})");
  const Model model = load();
  EXPECT_EQ(model.embed("ab C"), (Floats{2.5f, 25}));
  EXPECT_EQ(model.tokenizer().vocabulary_size(), 6u);
}

TEST_F(StaticTableTest, IsToldByItsTensorsWhereConfigJsonHasNoModelType) {
  const std::vector<int64_t> mapping = {0, 0, 0, 0, 1, 0};
  write(
      {{"embeddings", "F32", {2, 1}, test::bytes_of(Floats{2, 3})}, {"mapping", "I64", {6}, test::bytes_of(mapping)}});
  directory_.write("config.json", R"({"normalize": false, "embedding_dtype": "float32"})");
  const Model model = load();
  EXPECT_EQ(model.embed("a unknown b"), (Floats{2.5f}));
  const std::string notice = quote_path((directory_.path() / "config.json").string()) +
                             ": no model_type; the weights are those of a static model of model2vec, and so they are "
                             "read: a tensor 'embeddings' of two dimensions, without an encoder";
  EXPECT_EQ(std::count(model.notices().begin(), model.notices().end(), notice), 1);
  EXPECT_EQ(load_tokenizer(directory_.path().string()).tokenizer.tokenize("a").ids, (std::vector<int32_t>{4}));
}

TEST_F(StaticTableTest, ReadsModel2vecBesideItsOwnModulesJson) {
  write_model2vec({{"embeddings", "F32", {6, 2}, test::bytes_of(rows())}}, R"(, "normalize": true, "max_length": 1)");
  directory_.write("modules.json", R"([{"type": "sentence_transformers.models.StaticEmbedding", "path": "."},
                                       {"type": "sentence_transformers.models.Normalize", "path": "1_Normalize"}])");
  const Model model = load();
  EXPECT_TRUE(model.pooling().normalize);
  EXPECT_EQ(model.max_length(), 1u);
  EXPECT_EQ(model.embed("unknown"), (Floats{0, 0}));
}

// The expected values are those of model2vec 0.10 and of sentence-transformers 6.2.
TEST_F(StaticTableTest, IsReadByConfigJsonOrByModulesJsonAsTheCallerChooses) {
  write_model2vec({{"embeddings", "F32", {6, 2}, test::bytes_of(rows())}}, R"(, "normalize": true, "max_length": 2)");
  directory_.write("modules.json", R"([{"type": "sentence_transformers.models.StaticEmbedding", "path": "."}])");
  directory_.write("tokenizer.json", tokenizer_json(R"({"type": "WordLevel", "unk_token": "?",
      "vocab": {"[UNK]": 0, "+b": 1, "c": 2, "?": 3, "a": 4, "b": 5}})"));
  const std::string path = directory_.path().string();
  const Model by_modules = Model::load(path, {.static_file = StaticFile::kModules});
  EXPECT_EQ(by_modules.embed("a x b b"), (Floats{4.25f, 42.5f})) << "all four, none of length one";
  EXPECT_FALSE(by_modules.pooling().normalize);
  EXPECT_GT(by_modules.max_length(), 512u);
  const Model by_config = load();
  EXPECT_EQ(by_config.max_length(), 2u);
  EXPECT_TRUE(by_config.pooling().normalize);
  EXPECT_TRUE(test::within(1e-7, by_config.embed("a x b b"), (std::vector<double>{0.0995037190, 0.9950371902})));
}

TEST_F(StaticTableTest, AppliesTheMappingAndTheWeights) {
  const std::vector<int64_t> mapping = {0, 0, 0, 0, 2, 1};
  write_model2vec({{"embeddings", "F16", {3, 1}, test::bytes_of(std::vector<uint16_t>{0, 0x3C00, 0x4000})},
                   {"mapping", "I64", {6}, test::bytes_of(mapping)},
                   {"weights", "F32", {6}, test::bytes_of(Floats{0, 0, 0, 0, 3, 0.5f})}});
  const Model model = load();
  EXPECT_EQ(model.embed("a"), (Floats{6}));
  EXPECT_EQ(model.embed("a b"), (Floats{3.25f}));
}

TEST_F(StaticTableTest, ReadsIntegersWithoutAScale) {
  write_model2vec({{"embeddings", "I8", {6, 1}, test::bytes_of(std::vector<int8_t>{0, 0, 0, 0, -128, 127})}});
  EXPECT_EQ(load().embed("a b"), (Floats{-0.5f}));
}

// 100 rows are more than the library adds in float32 at once.
TEST_F(StaticTableTest, AddsManyRows) {
  write_static_embedding();
  std::string text;
  for (int i = 0; i < 50; ++i) text += "a b b b ";
  EXPECT_EQ(load().embed(text), (Floats{4.75f, 47.5f}));
}

TEST_F(StaticTableTest, HasNoOtherPoolingThanTheMean) {
  write_static_embedding();
  const Model model = load();
  EXPECT_EQ(model.embed("a b", {.pooling = PoolingMode::kMean}), (Floats{4.5f, 45}));
  const std::string error =
      test::error_of(ErrorCode::kInvalidArgument, [&] { model.embed("a", {.pooling = PoolingMode::kMax}); });
  EXPECT_NE(error.find("is static, expected mean"), std::string::npos) << error;
}

TEST_F(StaticTableTest, EncodesTheRows) {
  write_static_embedding();
  EXPECT_EQ(load().encode("b a").last_hidden_state, (Floats{5, 50, 4, 40}));
}

TEST_F(StaticTableTest, LoadsTheTokenizerAlone) {
  write_static_embedding("0_StaticEmbedding");
  EXPECT_EQ(load_tokenizer(directory_.path().string()).tokenizer.tokenize("a").ids, (std::vector<int32_t>{4}));
}

TEST_F(StaticTableTest, RefusesWhatItCannotUse) {
  write_model2vec({{"x", "F32", {1}, test::bytes_of(Floats{1})}});
  EXPECT_NE(error().find("no tensor 'embedding.weight' or 'embeddings'"), std::string::npos) << error();
  write_model2vec({{"embeddings", "F32", {6}, test::bytes_of(Floats(6))}});
  EXPECT_NE(error().find("shape [6], expected [vocab, width]"), std::string::npos) << error();
  write_model2vec({{"embeddings", "I32", {6, 1}, test::bytes_of(std::vector<int32_t>(6))}});
  EXPECT_NE(error().find("type I32, expected F32, F16, BF16, F64 or I8"), std::string::npos) << error();
  write_model2vec({{"embeddings", "F32", {6, 1}, test::bytes_of(Floats(6))},
                   {"mapping", "I64", {6}, test::bytes_of(std::vector<int64_t>{0, 0, 0, 6, 0, 0})}});
  EXPECT_NE(error().find("row 6 for token 3, expected 0 to 5"), std::string::npos) << error();
  write_model2vec(
      {{"embeddings", "F32", {6, 1}, test::bytes_of(Floats(6))}, {"weights", "F32", {5}, test::bytes_of(Floats(5))}});
  EXPECT_NE(error().find("shape [5], expected [6]"), std::string::npos) << error();
}

}  // namespace
}  // namespace bert
