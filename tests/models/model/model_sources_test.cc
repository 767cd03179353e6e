// Tests from which files of a directory a model is read. label_forms_test.cc tests models that read labels, and
// model_test.cc tests directories that are refused.
#include "models/model/model_sources.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/expect_error.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

TEST(ModelSources, AreOfTheDirectorysKind) {
  const test::TemporaryDirectory encoder, labels;
  test::write_tiny_model(encoder);
  test::write_tiny_gliner(labels);
  const ModelSources of_encoder = find_sources(encoder.path(), {});
  EXPECT_EQ(of_encoder.config.hidden_size, 24u);
  EXPECT_EQ(of_encoder.prefix, "");
  EXPECT_FALSE(of_encoder.read_extension);
  EXPECT_TRUE(find_sources(labels.path(), {}).read_extension);
  EXPECT_EQ(builtin_sources({}).directory, std::nullopt);
}

std::vector<float> states_of(const std::filesystem::path& directory, const LoadOptions& options) {
  const std::vector<int32_t> ids = {2, 5, 8, 9, 3};
  const TokenSequence sequence{ids};
  return Model::load(directory.string(), options).encode({&sequence, 1})[0].last_hidden_state;
}

TEST(ModelSources, OfAnAdapterAreTheMergedWeights) {
  const test::TemporaryDirectory base, adapter, merged;
  test::write_tiny_model(base);
  test::write_tiny_adapter(adapter, "somewhere");
  test::write_tiny_merged_model(merged);
  const std::string name = adapter.path().string();
  for (const Precision precision : {Precision::kStored, Precision::kInt8}) {
    EXPECT_EQ(states_of(base.path(), {.threads = 1, .precision = precision, .adapter = name}),
              states_of(merged.path(), {.threads = 1, .precision = precision}));
  }
  EXPECT_EQ(states_of(base.path(), {.adapter = name, .layers = 1}), states_of(merged.path(), {.layers = 1}));
  EXPECT_NE(states_of(base.path(), {}), states_of(merged.path(), {}));
  const ModelDescription description = Model::load(base.path().string(), {.adapter = name}).describe();
  EXPECT_EQ(description.adapter, name);
  EXPECT_EQ(description.adapter_bytes, 2 * 24 * 24 * sizeof(float));
  EXPECT_EQ(description.files.back(), (adapter.path() / "adapter_model.safetensors").string());
  EXPECT_EQ(Model::load(base.path().string()).describe().adapter_bytes, 0u);
}

TEST(ModelSources, OfAClassifiersAdapterHaveItsLabels) {
  const test::TemporaryDirectory base, adapter;
  test::write_tiny_model(base);
  test::write_tiny_adapter(adapter, "somewhere", 5);
  const Model model = Model::load(base.path().string(), {.adapter = adapter.path().string()});
  EXPECT_EQ(model.heads(), std::vector<Head>{Head::kSequenceClassification});
  EXPECT_EQ(model.config().labels.size(), 5u);
  EXPECT_EQ(model.config().labels[4], "LABEL_4");
  const auto says = [](const std::string& notice) {
    return notice.find("the adapter's classifier has 5 outputs") != notice.npos;
  };
  EXPECT_EQ(std::count_if(model.notices().begin(), model.notices().end(), says), 1);
}

// Model::load accepts an adapter's directory if it names its base model. An error says what to do if the base model is
// missing, if two adapters are given, or if the base model has no layers.
TEST(ModelSources, OfAnAdapterAloneAreItsBaseModels) {
  const test::TemporaryDirectory base, adapter, merged, lost, rows;
  test::write_tiny_model(base);
  test::write_tiny_adapter(adapter, base.path().string());
  test::write_tiny_adapter(lost, "nobody/has-this");
  test::write_tiny_merged_model(merged);
  EXPECT_EQ(states_of(adapter.path(), {}), states_of(merged.path(), {}));
  EXPECT_EQ(test::error_of(ErrorCode::kNotFound, [&] { Model::load(lost.path().string()); }),
            "'" + (lost.path() / "adapter_config.json").string() +
                "': an adapter (LoRA) of 'nobody/has-this', which is not there, expected its base model as the model, "
                "and this directory as its adapter (--adapter)");
  EXPECT_NE(test::error_of(ErrorCode::kUnsupported,
                           [&] { Model::load(adapter.path().string(), {.adapter = lost.path().string()}); })
                .find("expected a whole model and one adapter"),
            std::string::npos);
  rows.write("modules.json", R"([{"type": "sentence_transformers.models.StaticEmbedding", "path": ""}])");
  EXPECT_NE(test::error_of(ErrorCode::kUnsupported,
                           [&] { Model::load(rows.path().string(), {.adapter = adapter.path().string()}); })
                .find("is a static model without layers"),
            std::string::npos);
}

TEST(ModelSources, OfAnAdapterHaveItsVocabulary) {
  const test::TemporaryDirectory base, adapter, pickled;
  test::write_tiny_model(base);
  test::write_tiny_adapter(adapter, "somewhere");
  const Model model = Model::load(base.path().string());
  const size_t words = model.config().vocab_size, width = model.config().hidden_size;
  adapter.write(
      "adapter_model.safetensors",
      test::image_of({test::floats("base_model.model.embeddings.word_embeddings.weight", {words + 2, width})}));
  const Model larger = Model::load(base.path().string(), {.adapter = adapter.path().string()});
  EXPECT_EQ(larger.config().vocab_size, words + 2);
  const std::vector<int32_t> ids = {2, static_cast<int32_t>(words + 1), 3};
  const TokenSequence one{ids};
  EXPECT_EQ(larger.encode({&one, 1})[0].last_hidden_state.size(), 3 * width);

  test::write_tiny_adapter(pickled, "somewhere");
  std::filesystem::rename(pickled.path() / "adapter_model.safetensors", pickled.path() / "adapter_model.bin");
  EXPECT_NE(test::error_of(ErrorCode::kUnsupported,
                           [&] { Model::load(base.path().string(), {.adapter = pickled.path().string()}); })
                .find("found 'adapter_model.bin', expected 'adapter_model.safetensors'"),
            std::string::npos);
}

TEST(ModelSources, AreOfTheFirstLayersIfAsked) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  const ModelSources sources = find_sources(directory.path(), {.layers = 1});
  EXPECT_EQ(sources.config.num_hidden_layers, 1u);
}

}  // namespace
}  // namespace bert
