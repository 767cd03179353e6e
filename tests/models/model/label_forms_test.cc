#include "models/model/label_forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/model/model_sources.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_gliner2.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

TEST(LabelForms, OfGlinerAreTheEncoderInItsFile) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner(directory, {.hidden = 16});
  const ModelSources sources = find_sources(directory.path(), {}, {});
  EXPECT_EQ(sources.config.hidden_size, 24u);
  EXPECT_EQ(sources.config.vocab_size, 43u);
  EXPECT_TRUE(sources.read_labels);
  EXPECT_EQ(sources.prefix, "token_rep_layer.bert_layer.model.");
  EXPECT_EQ(sources.label_encoder, nullptr);
}

TEST(LabelForms, OfGlinerTakeWhatItLacksFromTheNamedEncoder) {
  const test::TemporaryDirectory directory, encoder;
  test::write_tiny_gliner(directory, {.settings = R"("encoder_config": null, "class_token_index": -1)"});
  std::filesystem::remove(directory.path() / "tokenizer_config.json");
  std::filesystem::remove(directory.path() / "vocab.txt");
  EXPECT_EQ(test::error_of(ErrorCode::kNotFound, [&] { find_sources(directory.path(), {}, {}); }),
            "'" + directory.path().string() +
                "' has no encoder_config, expected it there, or 'tiny/encoder' in the hub's cache or as the option "
                "encoder");
  test::write_tiny_model(encoder, {.positions = 64});
  const ModelSources sources = find_sources(directory.path(), {}, {.encoder = encoder.path().string()});
  EXPECT_EQ(sources.config.vocab_size, 43u);  // with the markers that were added to the tokenizer
  EXPECT_EQ(std::get<Tokenizer>(sources.text.tokenizer).id("<<ENT>>"), 41);
  const Model model = Model::load(directory.path().string(), {.threads = 1, .encoder = encoder.path().string()});
  EXPECT_FALSE(find_entities(model, "the lazy dog", {.labels = {"dog"}, .threshold = 0}).empty());
}

TEST(LabelForms, SayThatANamedEncoderIsNotUsed) {
  const test::TemporaryDirectory directory, plain;
  test::write_tiny_gliner(directory, {});
  const ModelSources sources = find_sources(directory.path(), {}, {.encoder = "/no/such"});
  EXPECT_EQ(sources.text.notices.back(),
            "'" + directory.path().string() +
                "': has its encoder's configuration and tokenizer, so '/no/such' is not used "
                "as its encoder");
  test::write_tiny_model(plain);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { find_sources(plain.path(), {}, {.encoder = "/no/x"}); }),
            "encoder '/no/x' requested, but the model is no GLiNER model, whose encoder it is");
}

TEST(LabelForms, OfABiEncoderHaveASecondEncoder) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner(directory, {.encodes_labels = true});
  const ModelSources sources = find_sources(directory.path(), {}, {});
  ASSERT_NE(sources.label_encoder, nullptr);
  EXPECT_EQ(sources.label_encoder->prefix, "token_rep_layer.labels_encoder.model.");
  std::filesystem::remove_all(directory.path() / "labels_tokenizer");
  EXPECT_NE(test::error_of(ErrorCode::kNotFound, [&] { find_sources(directory.path(), {}, {}); })
                .find("has no tokenizer of labels, expected it there, or 'tiny/labels'"),
            std::string::npos);
}

TEST(LabelForms, OfGlinerHaveItsMarkersInTheTokenizer) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner(directory, {.settings = R"("class_token_index": 42, "vocab_size": 43)"});
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile, [&] { Model::load(directory.path().string()); }),
            "gliner_config.json: class_token_index 42, expected 41, the id of '<<ENT>>'");
}

TEST(LabelForms, OfGliClassAreOneOrTwoEncoders) {
  const test::TemporaryDirectory directory, bi;
  test::write_tiny_gliclass(directory);
  const ModelSources sources = find_sources(directory.path(), {}, {});
  EXPECT_EQ(sources.config.vocab_size, 42u);
  EXPECT_EQ(sources.prefix, "model.encoder_model.");
  EXPECT_EQ(sources.label_encoder, nullptr);
  EXPECT_EQ(sources.text.limit.tokens, 64u);
  test::write_tiny_gliclass(bi, {.architecture = "bi-encoder"});
  EXPECT_EQ(find_sources(bi.path(), {}, {}).label_encoder->prefix, "model.label_encoder.");
}

TEST(LabelForms, OfGliner2AreTheEncoderInItsFileWithTheFilesVocabulary) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner2(directory);
  const std::filesystem::path config = directory.path() / "encoder_config" / "config.json";
  nlohmann::json encoder = nlohmann::json::parse(std::ifstream(config));
  encoder["vocab_size"] = 45;
  directory.write("encoder_config/config.json", encoder.dump());
  const ModelSources sources = find_sources(directory.path(), {}, {});
  EXPECT_EQ(sources.config.hidden_size, 24u);
  EXPECT_EQ(sources.config.vocab_size, 50u);
  EXPECT_EQ(sources.prefix, "encoder.");
  EXPECT_EQ(sources.text.limit.tokens, 64u);
  EXPECT_EQ(std::get<Tokenizer>(sources.text.tokenizer).id("[P]"), 42);
}

TEST(LabelForms, OfGliner2LeaveOutWhatIsNotOffered) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner2(directory, {.has_boundaries = true});
  const std::vector<std::string> left_out = find_sources(directory.path(), {}, {}).left_out;
  EXPECT_NE(std::find(left_out.begin(), left_out.end(), "relation_scorer.*"), left_out.end());
  EXPECT_NE(std::find(left_out.begin(), left_out.end(), "boundary_head.shared_pool_builder.*"), left_out.end());
}

TEST(LabelForms, OfOtherDirectoriesAreNone) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  EXPECT_FALSE(gliner_form(directory.path(), {}));
  EXPECT_FALSE(gliner2_form(directory.path(), {}));
  EXPECT_FALSE(gliclass_form(directory.path(), {}));
}

}  // namespace
}  // namespace bert
