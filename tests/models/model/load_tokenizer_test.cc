// Checks that a tokenizer loaded without the weights equals the model's.
#include <gtest/gtest.h>

#include <filesystem>

#include "bert/model.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_gliner2.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

class LoadTokenizerTest : public ::testing::Test {
 protected:
  LoadTokenizerTest() { directory_.write("vocab.txt", test::tiny_vocabulary(18)); }
  LoadedTokenizer load() const { return load_tokenizer(directory_.path().string()); }
  test::TemporaryDirectory directory_;
};

TEST_F(LoadTokenizerTest, NeedsTheTokenizersFilesOnly) {
  const LoadedTokenizer loaded = load();
  EXPECT_EQ(loaded.tokenizer.tokenize("the fox").ids, (std::vector<int32_t>{2, 5, 8, 3}));  // by hand
  EXPECT_EQ(loaded.max_length, std::nullopt);
  EXPECT_EQ(loaded.max_positions, std::nullopt);
}

TEST_F(LoadTokenizerTest, HasTheLimitThatTheFilesSay) {
  directory_.write("config.json", R"({"model_type": "bert", "max_position_embeddings": 64})");
  EXPECT_EQ(load().max_positions, 64u);
  directory_.write("tokenizer_config.json", R"({"model_max_length": 32})");
  EXPECT_EQ(load().max_length, 32u);
  directory_.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  directory_.write("1_Pooling/config.json", "{}");
  directory_.write("sentence_bert_config.json", R"({"max_seq_length": 16})");
  EXPECT_EQ(load().max_length, 16u);
  directory_.write("sentence_bert_config.json", R"({"max_seq_length": 100})");
  const LoadedTokenizer lowered = load();
  EXPECT_EQ(lowered.max_length, 64u);
  EXPECT_NE(lowered.notices.back().find("100"), std::string::npos) << lowered.notices.back();
}

// The form of a model that reads labels decides its marker tokens and limits, not the encoder's files alone.
TEST_F(LoadTokenizerTest, IsThatOfAModelThatReadsLabels) {
  const test::TemporaryDirectory gliner, markers_to_add, gliner2, gliclass, bi_encoder;
  test::write_tiny_gliner(gliner);
  test::write_tiny_gliner(markers_to_add, {.settings = R"("class_token_index": -1)"});
  test::write_tiny_gliner2(gliner2);
  test::write_tiny_gliclass(gliclass);
  test::write_tiny_gliclass(bi_encoder, {.architecture = "bi-encoder"});
  for (const auto* directory : {&gliner, &markers_to_add, &gliner2, &gliclass, &bi_encoder}) {
    const std::string name = directory->path().string();
    const Model model = Model::load(name, {.threads = 1});
    const LoadedTokenizer loaded = load_tokenizer(name);
    EXPECT_EQ(loaded.max_length, model.max_length()) << name;
    EXPECT_EQ(loaded.max_positions, model.max_positions()) << name;
    for (const char* text : {"the fox", "<<LABEL>> fox <<SEP>>", "<<ENT>> fox", "[P] fox"}) {
      EXPECT_EQ(loaded.tokenizer.tokenize(text).ids, model.tokenizer().tokenize(text).ids) << text;
    }
  }
}

// A tokenizer needs neither the encoder's configuration nor the encoder of labels.
TEST_F(LoadTokenizerTest, NeedsNoFileThatTheModelNames) {
  const test::TemporaryDirectory unnamed, bi_encoder;
  test::write_tiny_gliner(unnamed, {.settings = R"("encoder_config": null)"});
  test::write_tiny_gliner(bi_encoder, {.encodes_labels = true});
  std::filesystem::remove_all(bi_encoder.path() / "labels_tokenizer");
  EXPECT_EQ(load_tokenizer(unnamed.path().string()).max_positions, std::nullopt);
  EXPECT_EQ(load_tokenizer(bi_encoder.path().string()).tokenizer.tokenize("fox").ids.size(), 3u);
}

TEST(BuiltinTokenizer, IsThatOfTheBuiltinModel) {
  const LoadedTokenizer loaded = builtin_tokenizer();
  const Model model = Model::builtin({.threads = 1});
  EXPECT_EQ(loaded.max_length.value_or(0), model.max_length());
  EXPECT_EQ(loaded.max_positions, model.max_positions());
  EXPECT_EQ(loaded.tokenizer.tokenize("A man plays a guitar.").ids,
            model.tokenizer().tokenize("A man plays a guitar.").ids);
}

}  // namespace
}  // namespace bert
