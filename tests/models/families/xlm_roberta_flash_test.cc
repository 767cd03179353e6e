#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/config/family.h"
#include "tests/models/family_check.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
#include "tests/support/isa.h"
#include "tests/support/random.h"

namespace bert {
namespace {

constexpr size_t kTasks = 2, kRank = 3;
constexpr double kAlpha = 2;

std::vector<float> floats_of(const test::TestTensor& tensor) {
  std::vector<float> values(tensor.data.size() / sizeof(float));
  std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

// Returns weight + alpha / rank · left · right, computed by plain loops.
test::TestTensor merged(const test::TestTensor& weight, const std::vector<float>& left,
                        const std::vector<float>& right) {
  const size_t rows = weight.shape[0], cols = weight.shape[1];
  std::vector<float> values = floats_of(weight);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t col = 0; col < cols; ++col) {
      double sum = 0;
      for (size_t r = 0; r < kRank; ++r) {
        sum += static_cast<double>(left[row * kRank + r]) * static_cast<double>(right[r * cols + col]);
      }
      float& value = values[row * cols + col];
      value = static_cast<float>(static_cast<double>(value) + kAlpha / kRank * sum);
    }
  }
  return {weight.name, "F32", weight.shape, test::bytes_of(values)};
}

// Returns the shared data's model in the authors' form, with an adapter per task for each table and each projection.
// merge: if given, the weights contain this task's adapter, and there are no other adapters.
test::FamilyFiles files_of_the_authors(const std::filesystem::path& folder, std::optional<size_t> merge = {}) {
  test::FamilyFiles files = test::FamilyFiles::read(folder);
  files.config["model_type"] = "xlm-roberta";
  files.config["position_embedding_type"] = "rotary";
  files.config["rotary_emb_base"] = 20000.0;
  files.config.erase("rope_parameters");
  test::Random random(7);
  std::vector<test::TestTensor> tensors;
  for (const test::TestTensor& tensor : files.tensors) {
    if (tensor.shape.size() != 2) {
      tensors.push_back({"roberta." + tensor.name, "F32", tensor.shape, tensor.data});
      continue;
    }
    const size_t rows = tensor.shape[0], cols = tensor.shape[1];
    const bool is_table = tensor.name.starts_with("embeddings.");
    std::vector<std::vector<float>> left, right;
    for (size_t task = 0; task < kTasks; ++task) {
      left.push_back(random.numbers(rows * kRank, 0.2f));
      right.push_back(random.numbers(kRank * cols, 0.2f));
    }
    if (merge) {
      tensors.push_back(merged(tensor, left[*merge], right[*merge]));
      tensors.back().name = "roberta." + tensor.name;
      continue;
    }
    const auto stacked = [](const std::vector<std::vector<float>>& all) {
      std::string bytes;
      for (const std::vector<float>& one : all) bytes += test::bytes_of(one);
      return bytes;
    };
    const std::string weight = "roberta." + tensor.name.substr(0, tensor.name.size() - 7) + ".parametrizations.weight";
    tensors.push_back({weight + ".original", "F32", tensor.shape, tensor.data});
    tensors.push_back({weight + (is_table ? ".0.lora_A" : ".0.lora_B"), "F32", {kTasks, rows, kRank}, stacked(left)});
    tensors.push_back({weight + (is_table ? ".0.lora_B" : ".0.lora_A"), "F32", {kTasks, kRank, cols}, stacked(right)});
  }
  files.tensors = tensors;
  if (merge) return files;
  files.config["lora_adaptations"] = {"retrieval.query", "separation"};
  files.config["task_instructions"] = {{"retrieval.query", "query: "}, {"separation", ""}};
  files.config["lora_rank"] = kRank;
  files.config["lora_alpha"] = kAlpha;
  files.config["load_trained_adapters"] = true;
  return files;
}

TEST(XlmRobertaFlashFamily, IsTheReferencesModelWithoutATask) {
  BERT_TEST_DATA_OR_SKIP(folder, "family_modern/jina-v3");
  test::check_same_model(folder, [&](test::FamilyFiles& files) { files = files_of_the_authors(folder); });
}

// Compares the model with one whose weights already contain the adapter.
TEST(XlmRobertaFlashFamily, AppliesTheAdapterOfTheTask) {
  BERT_TEST_DATA_OR_SKIP(folder, "family_modern/jina-v3");
  const test::FamilyModel family(folder);
  const test::TemporaryDirectory adapted;
  files_of_the_authors(folder).write(adapted);
  const auto states = [&](const test::TemporaryDirectory& directory, const LoadOptions& options) {
    std::vector<float> all;
    for (const EncodedSequence& one : encode_all(Model::load(directory.path().string(), options), family.cases())) {
      all.insert(all.end(), one.last_hidden_state.begin(), one.last_hidden_state.end());
    }
    return all;
  };
  const std::vector<float> without = states(adapted, {});
  for (const size_t task : {0, 1}) {
    const std::string name = task == 0 ? "retrieval.query" : "separation";
    const test::TemporaryDirectory by_hand;
    files_of_the_authors(folder, task).write(by_hand);
    for (const Precision precision : {Precision::kStored, Precision::kInt8}) {
      const std::vector<float> got = states(adapted, {.threads = 2, .precision = precision, .task = name});
      EXPECT_EQ(got, states(by_hand, {.threads = 1, .precision = precision})) << name;
      EXPECT_NE(got, without);
    }
    EXPECT_EQ(Model::load(adapted.path().string(), {.task = name}).prompt(), task == 0 ? "query: " : "");
  }
}

// modules.json is that of the authors.
TEST(XlmRobertaFlashFamily, HasAModuleOfItsOwnForTheEncoder) {
  BERT_TEST_DATA_OR_SKIP(folder, "family_modern/jina-v3");
  const test::TemporaryDirectory directory;
  files_of_the_authors(folder).write(directory);
  directory.write("modules.json", R"([
    {"idx": 0, "name": "transformer", "path": "", "type": "custom_st.Transformer", "kwargs": ["task"]},
    {"idx": 1, "name": "pooler", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "name": "normalizer", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])");
  directory.write("1_Pooling/config.json", R"({"word_embedding_dimension": 36, "pooling_mode_mean_tokens": true})");
  directory.write("sentence_bert_config.json", R"({"max_seq_length": 77})");
  const Model model = Model::load(directory.path().string(), {.task = "separation"});
  EXPECT_EQ(model.pooling().unsupported, "");
  EXPECT_EQ(model.pooling().modules, (std::vector<std::string>{"Pooling mean", "Normalize"}));
  EXPECT_EQ(model.max_length(), 77u);
}

TEST(XlmRobertaFlashFamily, RefusesAFileWithoutTheTasksAdapter) {
  BERT_TEST_DATA_OR_SKIP(folder, "family_modern/jina-v3");
  const auto error_with = [&](const std::function<void(test::FamilyFiles&)>& edit) {
    test::FamilyFiles files = files_of_the_authors(folder);
    edit(files);
    const test::TemporaryDirectory directory;
    files.write(directory);
    return test::error_of([&] { Model::load(directory.path().string(), {.task = "separation"}); });
  };
  std::string error = error_with([](test::FamilyFiles& files) {
    std::erase_if(files.tensors, [](const auto& tensor) {
      return tensor.name.ends_with("0.mlp.fc1.parametrizations.weight.0.lora_A");
    });
  });
  EXPECT_NE(error.find("'roberta.encoder.layers.0.mlp.fc1.parametrizations.weight.0.lora_A'"), std::string::npos)
      << error;
  EXPECT_NE(error.find("not there, expected one of shape [2, 3, 36]"), std::string::npos) << error;
  error = error_with([](test::FamilyFiles& files) { files.config["lora_rank"] = 4; });
  EXPECT_NE(error.find("shape [2, 127, 3], expected [2, 127, 4]"), std::string::npos) << error;
}

TEST(XlmRobertaFlashFamily, IsThatOfRotaryPositions) {
  EXPECT_EQ(find_family("xlm-roberta")->position_embedding_type, "");
  EXPECT_EQ(find_family("xlm-roberta", "rotary")->transformer_class, "custom_st.Transformer");
  const ModelConfig config =
      parse_config(R"({"model_type": "xlm-roberta", "position_embedding_type": "rotary", "rotary_emb_base": 20000.0})",
                   "config.json");
  EXPECT_EQ(config.rotary.theta, 20000);
  EXPECT_EQ(config.layer_norm_eps, 1e-5);
  EXPECT_FALSE(config.adapters);
}

}  // namespace
}  // namespace bert
