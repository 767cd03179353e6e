// Tests which small models Model loads, and how it describes them.
#include "bert/model.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

#include "tests/models/tiny_model_test.h"

namespace bert {
namespace {

class ModelTest : public test::TinyModelTest {};

TEST_F(ModelTest, FindsTheEncoderInTheFolderThatModulesJsonNames) {
  const std::vector<float> expected = load().embed("The quick fox");
  const std::filesystem::path folder = directory_.path() / "0_Transformer";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) files.push_back(entry.path());
  std::filesystem::create_directory(folder);
  for (const auto& file : files) std::filesystem::rename(file, folder / file.filename());
  directory_.write("modules.json", R"([
    {"type": "sentence_transformers.models.Transformer", "path": "0_Transformer"},
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  std::filesystem::create_directory(directory_.path() / "1_Pooling");
  directory_.write("1_Pooling/config.json", R"({"word_embedding_dimension": 24, "pooling_mode_mean_tokens": true})");
  EXPECT_EQ(Model::load(directory_.path().string()).embed("The quick fox"), expected);
  EXPECT_EQ(load_tokenizer(directory_.path().string()).tokenizer.tokenize("fox").ids.size(), 3u);
}

// A model without a tokenizer supports all calls with ids.
TEST_F(ModelTest, WorksWithIdsWithoutATokenizer) {
  const Model whole = load();
  EXPECT_TRUE(whole.has_tokenizer());
  const std::vector<int32_t> ids = whole.tokenizer().tokenize("the fox").ids;
  const TokenSequence sequence{.ids = ids};
  std::filesystem::remove(directory_.path() / "vocab.txt");
  const Model model = Model::load(directory_.path().string());
  EXPECT_FALSE(model.has_tokenizer());
  EXPECT_EQ(model.encode({&sequence, 1})[0].last_hidden_state, whole.encode({&sequence, 1})[0].last_hidden_state);
  EXPECT_EQ(model.embed({&sequence, 1}), whole.embed({&sequence, 1}));
  EXPECT_EQ(model.max_length(), whole.max_length());
  const std::string why = "'" + directory_.path().string() + "': no tokenizer, expected tokenizer.json";
  EXPECT_EQ(model.notices().at(0).find(why), 0u) << model.notices()[0];
  const std::vector<std::function<void()>> calls = {[&] { model.tokenizer(); }, [&] { model.encode("the fox"); },
                                                    [&] { model.embed("the fox"); },
                                                    [&] { load_tokenizer(directory_.path().string()); }};
  for (const auto& call : calls) EXPECT_EQ(test::refusal(ErrorCode::kNotFound, call).find(why), 0u);
  const std::string_view texts[] = {"the fox"};
  EXPECT_TRUE(model.embed(texts).reports[0].error.has_value());
}

TEST_F(ModelTest, WorksWithIdsWhereItsTokenizerIsNotSupported) {
  load();
  directory_.write("tokenizer_config.json", R"({"tokenizer_class": "BertJapaneseTokenizer"})");
  const Model model = Model::load(directory_.path().string());
  const std::vector<int32_t> ids = {2, 8, 3};
  const TokenSequence sequence{.ids = ids};
  EXPECT_EQ(model.embed({&sequence, 1}).size(), 24u);
  EXPECT_NE(test::refusal(ErrorCode::kUnsupported, [&] { model.embed("fox"); }).find("BertJapanese"),
            std::string::npos);
}

TEST_F(ModelTest, ChecksEveryWeightWhereItIsAskedTo) {
  const std::string error = test::refusal(ErrorCode::kNonFinite, [&] {
    load({},
         [](test::TinyTensors& tensors) {
           tensors["encoder.layer.1.output.dense.weight"].values[0] = std::numeric_limits<float>::infinity();
         },
         {.check_tensors = true});
  });
  EXPECT_NE(error.find("encoder.layer.1.output.dense.weight"), std::string::npos) << error;
}

TEST_F(ModelTest, LeavesTypeIdsOutForAModelOfOneSegment) {
  const Model model = load({.types = 1});
  const Encoding encoding = model.tokenizer().tokenize("the fox", "the dog");
  EXPECT_TRUE(model.sequence(encoding).type_ids.empty());
  EXPECT_NO_THROW(model.encode("the fox", "the dog"));
}

TEST_F(ModelTest, DescribesItsTensorsAndBackend) {
  const Model model = load();
  const ModelDescription description = model.describe();
  EXPECT_EQ(description.source, directory_.path().string());
  EXPECT_EQ(description.tensors.size(), 5u + 2 * 16 + 2);
  size_t bytes = 0;
  for (const TensorInfo& tensor : description.tensors) {
    EXPECT_TRUE(tensor.used) << tensor.name;
    EXPECT_EQ(tensor.dtype, "F32");
    bytes += tensor.bytes;
  }
  // The tables have (40 + 2 + 24 + 2) · 24 weights, a layer 4 · (24² + 24) + 2 · 24 · 50 + 50 + 24 + 4 · 24, the pooler
  // 24² + 24.
  EXPECT_EQ(bytes, 4u * (68 * 24 + 2 * (4 * 600 + 2400 + 74 + 96) + 600));
  EXPECT_EQ(description.threads, 2u);
  EXPECT_FALSE(description.isa_reason.empty());
}

TEST_F(ModelTest, IsNoBuiltinModelWhateverItsDirectoryIsCalled) {
  test::write_tiny_model(directory_);
  const std::filesystem::path before = std::filesystem::current_path();
  const std::filesystem::path inside = directory_.path() / "inside";
  std::filesystem::create_directory(inside);
  std::filesystem::copy(directory_.path(), inside / "built-in");
  std::filesystem::current_path(inside);
  const Model model = Model::load("built-in");
  std::filesystem::current_path(before);
  EXPECT_EQ(model.describe().source, "built-in");
  EXPECT_FALSE(model.describe().is_builtin);
  EXPECT_NE(test::refusal(ErrorCode::kNotFound, [&] { model.prompt("query"); }).find("the model in 'built-in'"),
            std::string::npos);
}

TEST(BuiltinModel, LoadsAndTellsLikeFromUnlike) {
  const Model model = Model::builtin({.threads = 1});
  EXPECT_EQ(model.describe().source, "built-in");
  EXPECT_TRUE(model.describe().is_builtin);
  const auto cosine = [&](const char* a, const char* b) { return cosine_similarity(model.embed(a), model.embed(b)); };
  EXPECT_GT(cosine("A man is playing a guitar.", "A person plays the guitar."),
            cosine("A man is playing a guitar.", "The committee rejected the budget."));
}

}  // namespace
}  // namespace bert
