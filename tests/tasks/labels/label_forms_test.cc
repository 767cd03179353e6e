#include "tasks/labels/label_forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/model/model_sources.h"
#include "tests/support/expect_error.h"
#include "tests/support/stored_tensors.h"
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
  const ModelSources sources = find_sources(directory.path(), {});
  EXPECT_EQ(sources.config.hidden_size, 24u);
  EXPECT_EQ(sources.config.vocab_size, 43u);
  EXPECT_TRUE(sources.read_extension);
  EXPECT_EQ(sources.prefix, "token_rep_layer.bert_layer.model.");
  EXPECT_EQ(sources.second_encoder, nullptr);
}

TEST(LabelForms, OfGlinerTakeWhatItLacksFromTheNamedEncoder) {
  const test::TemporaryDirectory directory, encoder;
  test::write_tiny_gliner(directory, {.settings = R"("encoder_config": null, "class_token_index": -1)"});
  std::filesystem::remove(directory.path() / "tokenizer_config.json");
  std::filesystem::remove(directory.path() / "vocab.txt");
  EXPECT_EQ(test::error_of(ErrorCode::kNotFound, [&] { find_sources(directory.path(), {}); }),
            "'" + directory.path().string() +
                "' has no encoder_config, expected it there, or 'tiny/encoder' in the hub's cache or as the option "
                "encoder");
  test::write_tiny_model(encoder, {.positions = 64});
  const ModelSources sources = find_sources(directory.path(), {.encoder = encoder.path().string()});
  EXPECT_EQ(sources.config.vocab_size, 43u);  // includes the marker tokens that were added to the tokenizer
  EXPECT_EQ(std::get<Tokenizer>(sources.text.tokenizer).id("<<ENT>>"), 41);
  const Model model = Model::load(directory.path().string(), {.threads = 1, .encoder = encoder.path().string()});
  EXPECT_FALSE(find_entities(model, "the lazy dog", {.labels = {"dog"}, .threshold = 0}).empty());
}

TEST(LabelForms, SayThatANamedEncoderIsNotUsed) {
  const test::TemporaryDirectory directory, plain;
  test::write_tiny_gliner(directory, {});
  const ModelSources sources = find_sources(directory.path(), {.encoder = "/no/such"});
  EXPECT_EQ(sources.text.notices.back(),
            "'" + directory.path().string() +
                "': has its encoder's configuration and tokenizer, so '/no/such' is not used "
                "as its encoder");
  test::write_tiny_model(plain);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { find_sources(plain.path(), {.encoder = "/no/x"}); }),
            "encoder '/no/x' requested, but the model is no GLiNER model, whose encoder it is");
}

TEST(LabelForms, OfABiEncoderHaveASecondEncoder) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner(directory, {.encodes_labels = true});
  const ModelSources sources = find_sources(directory.path(), {});
  ASSERT_NE(sources.second_encoder, nullptr);
  EXPECT_EQ(sources.second_encoder->prefix, "token_rep_layer.labels_encoder.model.");
  std::filesystem::remove_all(directory.path() / "labels_tokenizer");
  EXPECT_NE(test::error_of(ErrorCode::kNotFound, [&] { find_sources(directory.path(), {}); })
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
  const ModelSources sources = find_sources(directory.path(), {});
  EXPECT_EQ(sources.config.vocab_size, 42u);
  EXPECT_EQ(sources.prefix, "model.encoder_model.");
  EXPECT_EQ(sources.second_encoder, nullptr);
  EXPECT_EQ(sources.text.limit.tokens, 64u);
  test::write_tiny_gliclass(bi, {.architecture = "bi-encoder"});
  EXPECT_EQ(find_sources(bi.path(), {}).second_encoder->prefix, "model.label_encoder.");
}

TEST(LabelForms, OfGliner2AreTheEncoderInItsFileWithTheFilesVocabulary) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner2(directory);
  const std::filesystem::path config = directory.path() / "encoder_config" / "config.json";
  nlohmann::json encoder = nlohmann::json::parse(std::ifstream(config));
  encoder["vocab_size"] = 45;
  directory.write("encoder_config/config.json", encoder.dump());
  const ModelSources sources = find_sources(directory.path(), {});
  EXPECT_EQ(sources.config.hidden_size, 24u);
  EXPECT_EQ(sources.config.vocab_size, 50u);
  EXPECT_EQ(sources.prefix, "encoder.");
  EXPECT_EQ(sources.text.limit.tokens, 64u);
  EXPECT_EQ(std::get<Tokenizer>(sources.text.tokenizer).id("[P]"), 42);
}

TEST(LabelForms, OfGliner2LeaveOutWhatIsNotOffered) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner2(directory, {.has_boundaries = true});
  const std::vector<std::string> left_out = find_sources(directory.path(), {}).left_out;
  EXPECT_NE(std::find(left_out.begin(), left_out.end(), "relation_scorer.*"), left_out.end());
  EXPECT_NE(std::find(left_out.begin(), left_out.end(), "boundary_head.shared_pool_builder.*"), left_out.end());
}

// Writes an adapter (B · A = change) of the query weight in the first layer. `prefix` begins the names of the encoder's
// tensors in the file.
void write_query_adapter(const test::TemporaryDirectory& directory, const std::string& prefix, float change) {
  const std::string name = "base_model.model." + prefix + "encoder.layer.0.attention.self.query.lora_";
  const std::vector<float> a(24, change), b(24, 1);
  directory.write("adapter_model.safetensors",
                  test::image_of({{name + "A.weight", "F32", {1, 24}, test::bytes_of(a)},
                                  {name + "B.weight", "F32", {24, 1}, test::bytes_of(b)}}));
  directory.write("adapter_config.json", R"({"peft_type": "LORA", "r": 1, "lora_alpha": 1, "task_type": "TOKEN_CLS"})");
}

// Adds `change` to the query weight of the first layer in the model's file.
void change_query(const test::TemporaryDirectory& directory, const std::string& prefix, float change) {
  std::vector<test::TestTensor> tensors = test::stored_tensors(directory.path());
  for (test::TestTensor& tensor : tensors) {
    if (tensor.name != prefix + "encoder.layer.0.attention.self.query.weight") continue;
    auto* weight = reinterpret_cast<float*>(tensor.data.data());
    for (size_t i = 0; i < tensor.data.size() / sizeof(float); ++i) weight[i] += change;
  }
  directory.write("model.safetensors", test::image_of(tensors));
}

std::vector<float> first_state(const std::filesystem::path& directory, const std::string& adapter) {
  const std::vector<int32_t> ids = {2, 5, 8, 9, 3};
  const TokenSequence sequence{ids};
  return Model::load(directory.string(), {.threads = 1, .adapter = adapter})
      .encode({&sequence, 1})[0]
      .last_hidden_state;
}

TEST(LabelForms, HaveTheMergedWeightsOfAnAdapter) {
  const std::pair<const char*, void (*)(const test::TemporaryDirectory&)> forms[] = {
      {"token_rep_layer.bert_layer.model.", [](const auto& directory) { test::write_tiny_gliner(directory); }},
      {"encoder.", [](const auto& directory) { test::write_tiny_gliner2(directory); }},
      {"model.encoder_model.", [](const auto& directory) { test::write_tiny_gliclass(directory); }}};
  for (const auto& [prefix, write] : forms) {
    const test::TemporaryDirectory directory, adapter, of_encoder_alone;
    write(directory);
    write_query_adapter(adapter, prefix, 0.5f);
    write_query_adapter(of_encoder_alone, "", 0.5f);
    const std::vector<float> merged = first_state(directory.path(), adapter.path().string());
    EXPECT_EQ(first_state(directory.path(), of_encoder_alone.path().string()), merged) << prefix;
    EXPECT_NE(first_state(directory.path(), ""), merged) << prefix;
    change_query(directory, prefix, 0.5f);
    EXPECT_EQ(first_state(directory.path(), ""), merged) << prefix;
  }
}

// At loading, the layers after the encoder copy and transpose columns of their weights. They must use the merged
// weights.
TEST(LabelForms, HaveTheMergedWeightsOfAnAdapterOfTheirLayers) {
  const char* layers[] = {"prompt_rep_layer.0", "span_rep_layer.span_rep_layer.out_project.0",
                          "span_rep_layer.span_rep_layer.project_start.3"};
  const auto scores = [](const std::filesystem::path& directory, const std::string& adapter) {
    const Model model = Model::load(directory.string(), {.threads = 1, .adapter = adapter});
    std::vector<double> found;
    for (const Entity& entity : find_entities(model, "the lazy dog", {.labels = {"dog"}, .threshold = 0})) {
      found.push_back(static_cast<double>(entity.score));
    }
    return found;
  };
  for (const std::string layer : layers) {
    const test::TemporaryDirectory base, merged, adapter;
    size_t rows = 0, cols = 0;
    test::write_tiny_gliner(base);
    test::write_tiny_gliner(merged, {.edit = [&](test::TinyTensors& tensors) {
                              test::TinyTensor& weight = tensors.at(layer + ".weight");
                              rows = weight.shape[0], cols = weight.shape[1];
                              for (float& value : weight.values) value += 0.25f;
                            }});
    adapter.write("adapter_model.safetensors",
                  test::image_of(
                      {{layer + ".lora_A.weight", "F32", {1, cols}, test::bytes_of(std::vector<float>(cols, 1))},
                       {layer + ".lora_B.weight", "F32", {rows, 1}, test::bytes_of(std::vector<float>(rows, 0.25f))}}));
    adapter.write("adapter_config.json", R"({"peft_type": "LORA", "r": 1, "lora_alpha": 1})");
    const std::vector<double> expected = scores(merged.path(), "");
    EXPECT_EQ(scores(base.path(), adapter.path().string()), expected) << layer;
    EXPECT_NE(scores(base.path(), ""), expected) << layer;
  }
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
