#include "tests/support/tiny_model.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tests/support/random.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

std::string safetensors(const TinyTensors& tensors) {
  std::vector<TestTensor> list;
  for (const auto& [name, tensor] : tensors) list.push_back({name, "F32", tensor.shape, bytes_of(tensor.values)});
  return image_of(list);
}

}  // namespace

std::string tiny_vocabulary(size_t size) {
  std::string text;
  constexpr std::string_view kWords[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the",
                                         "quick", "brown", "fox",   "jumps", "over",   "lazy",
                                         "dog",   "##s",   "i",     "do",    "like",   "coding"};
  for (size_t i = 0; i < size; ++i) {
    text += i < std::size(kWords) ? std::string(kWords[i]) : "filler" + std::to_string(i);
    text += '\n';
  }
  return text;
}

namespace {

constexpr size_t kAdapterRank = 2;
constexpr double kAdapterAlpha = 3;

std::string adapted_query(size_t layer) { return "encoder.layer." + std::to_string(layer) + ".attention.self.query"; }

// Returns, for the query of each layer, A [rank, hidden] and B [hidden, rank].
std::vector<std::vector<float>> adapter_parts(const TinyModel& model) {
  Random random(77);
  std::vector<std::vector<float>> parts;
  for (size_t i = 0; i < 2 * model.layers; ++i) parts.push_back(random.numbers(kAdapterRank * model.hidden, 0.5f));
  return parts;
}

}  // namespace

void write_tiny_adapter(const TemporaryDirectory& directory, const std::string& base, size_t labels) {
  const TinyModel model;
  const auto parts = adapter_parts(model);
  std::vector<TestTensor> list;
  for (size_t layer = 0; layer < model.layers; ++layer) {
    const std::string name = "base_model.model." + std::string(labels > 0 ? "bert." : "") + adapted_query(layer);
    list.push_back({name + ".lora_A.weight", "F32", {kAdapterRank, model.hidden}, bytes_of(parts[2 * layer])});
    list.push_back({name + ".lora_B.weight", "F32", {model.hidden, kAdapterRank}, bytes_of(parts[2 * layer + 1])});
  }
  if (labels > 0) {
    Random random(78);
    const std::string name = "base_model.model.classifier.";
    list.push_back({name + "weight", "F32", {labels, model.hidden}, bytes_of(random.numbers(labels * model.hidden))});
    list.push_back({name + "bias", "F32", {labels}, bytes_of(random.numbers(labels))});
  }
  directory.write("adapter_model.safetensors", image_of(list));
  nlohmann::json config = {{"peft_type", "LORA"},
                           {"base_model_name_or_path", base},
                           {"r", kAdapterRank},
                           {"lora_alpha", kAdapterAlpha},
                           {"target_modules", {"query"}}};
  if (labels > 0) config["task_type"] = "SEQ_CLS";
  directory.write("adapter_config.json", config.dump());
}

void write_tiny_merged_model(const TemporaryDirectory& directory) {
  const TinyModel model;
  const auto parts = adapter_parts(model);
  write_tiny_model(directory, model, [&](TinyTensors& tensors) {
    for (size_t layer = 0; layer < model.layers; ++layer) {
      std::vector<float>& weights = tensors.at(adapted_query(layer) + ".weight").values;
      for (size_t i = 0; i < weights.size(); ++i) {
        const size_t row = i / model.hidden, col = i % model.hidden;
        double sum = 0;
        for (size_t r = 0; r < kAdapterRank; ++r) {
          sum += static_cast<double>(parts[2 * layer + 1][row * kAdapterRank + r]) *
                 static_cast<double>(parts[2 * layer][r * model.hidden + col]);
        }
        weights[i] = static_cast<float>(static_cast<double>(weights[i]) + kAdapterAlpha / kAdapterRank * sum);
      }
    }
  });
}

void write_tiny_model(const TemporaryDirectory& directory, const TinyModel& model,
                      const std::function<void(TinyTensors&)>& edit) {
  Random random(20250917);
  TinyTensors tensors;
  const auto add = [&](const std::string& name, std::vector<size_t> shape, float scale, float offset = 0) {
    size_t count = 1;
    for (const size_t dimension : shape) count *= dimension;
    std::vector<float> values = random.numbers(count, scale);
    for (float& value : values) value += offset;
    tensors[name] = {std::move(shape), std::move(values)};
  };
  const auto dense = [&](const std::string& name, size_t out, size_t in) {
    add(name + ".weight", {out, in}, 1 / std::sqrt(static_cast<float>(in)));
    add(name + ".bias", {out}, 0.1f);
  };
  const auto norm = [&](const std::string& name) {
    add(name + ".weight", {model.hidden}, 0.1f, 1);
    add(name + ".bias", {model.hidden}, 0.1f);
  };
  add("embeddings.word_embeddings.weight", {model.vocab, model.hidden}, 0.5f);
  add("embeddings.token_type_embeddings.weight", {model.types, model.hidden}, 0.5f);
  add("embeddings.position_embeddings.weight", {model.positions, model.hidden}, 0.5f);
  norm("embeddings.LayerNorm");
  for (size_t layer = 0; layer < model.layers; ++layer) {
    const std::string prefix = "encoder.layer." + std::to_string(layer) + ".";
    for (const char* part : {"query", "key", "value"})
      dense(prefix + "attention.self." + part, model.hidden, model.hidden);
    dense(prefix + "attention.output.dense", model.hidden, model.hidden);
    norm(prefix + "attention.output.LayerNorm");
    dense(prefix + "intermediate.dense", model.intermediate, model.hidden);
    dense(prefix + "output.dense", model.hidden, model.intermediate);
    norm(prefix + "output.LayerNorm");
  }
  if (model.pooler) dense("pooler.dense", model.hidden, model.hidden);
  if (edit) edit(tensors);

  const nlohmann::json config = {{"model_type", "bert"},
                                 {"architectures", model.architectures},
                                 {"vocab_size", model.vocab},
                                 {"hidden_size", model.hidden},
                                 {"num_hidden_layers", model.layers},
                                 {"num_attention_heads", model.heads},
                                 {"intermediate_size", model.intermediate},
                                 {"max_position_embeddings", model.positions},
                                 {"type_vocab_size", model.types},
                                 {"hidden_act", "gelu"},
                                 {"layer_norm_eps", 1e-12}};
  directory.write("config.json", config.dump());
  directory.write("vocab.txt", tiny_vocabulary(model.vocab));
  directory.write("model.safetensors", safetensors(tensors));
}

void write_tiny_splade(const TemporaryDirectory& directory, const std::string& pooling,
                       const std::string& library_settings) {
  const TinyModel model;
  write_tiny_model(directory, model, [&](TinyTensors& tensors) {
    Random random(61);
    const std::string transform = "cls.predictions.transform.";
    tensors[transform + "dense.weight"] = {{model.hidden, model.hidden}, random.numbers(model.hidden * model.hidden)};
    tensors[transform + "dense.bias"] = {{model.hidden}, random.numbers(model.hidden)};
    tensors[transform + "LayerNorm.weight"] = {{model.hidden}, random.numbers(model.hidden)};
    tensors[transform + "LayerNorm.bias"] = {{model.hidden}, random.numbers(model.hidden)};
    tensors["cls.predictions.bias"] = {{model.vocab}, random.numbers(model.vocab)};
  });
  if (pooling.empty()) return;
  directory.write("modules.json", R"([
      {"path": "", "type": "sentence_transformers.base.modules.transformer.Transformer"},
      {"path": "1_SpladePooling",
       "type": "sentence_transformers.sparse_encoder.modules.splade_pooling.SpladePooling"}])");
  directory.write("1_SpladePooling/config.json", pooling);
  directory.write("config_sentence_transformers.json", library_settings);
}

void write_tiny_classifier(const TemporaryDirectory& directory, const std::vector<std::string>& labels, float offset) {
  const TinyModel model{.architectures = {"BertForSequenceClassification"}};
  const size_t outputs = std::max<size_t>(labels.size(), 1);
  write_tiny_model(directory, model, [&](TinyTensors& tensors) {
    Random random(7);
    tensors["classifier.weight"] = {{outputs, model.hidden}, random.numbers(outputs * model.hidden)};
    tensors["classifier.bias"] = {{outputs}, std::vector<float>(outputs, offset)};
  });
  nlohmann::json config = nlohmann::json::parse(read_file(directory.path() / "config.json"));
  config["num_labels"] = outputs;
  for (size_t i = 0; i < labels.size(); ++i) config["id2label"][std::to_string(i)] = labels[i];
  directory.write("config.json", config.dump());
}

void write_tiny_reader(const TemporaryDirectory& directory) {
  const TinyModel model{.architectures = {"BertForQuestionAnswering"}};
  write_tiny_model(directory, model, [&](TinyTensors& tensors) {
    Random random(7);
    tensors["qa_outputs.weight"] = {{2, model.hidden}, random.numbers(2 * model.hidden)};
    tensors["qa_outputs.bias"] = {{2}, random.numbers(2)};
  });
}

void write_tiny_coarse_model(const TemporaryDirectory& directory) {
  constexpr size_t kLarge = 5;
  const TinyModel model{.hidden = 96, .intermediate = 200};
  write_tiny_model(directory, model, [&](TinyTensors& tensors) {
    tensors.at("embeddings.LayerNorm.bias").values[kLarge] = 1.2e5f;
    for (const char* part : {"query", "key", "value"}) {
      TinyTensor& weight = tensors.at("encoder.layer.0.attention.self." + std::string(part) + ".weight");
      for (size_t out = 0; out < model.hidden; ++out) weight.values[out * model.hidden + kLarge] = 0;
    }
  });
}

void write_tiny_m3(const TemporaryDirectory& directory, size_t lexical_outputs) {
  const TinyModel model;
  write_tiny_model(directory, model);
  directory.write("modules.json", R"([
      {"path": "", "type": "sentence_transformers.models.Transformer"},
      {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
      {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])");
  directory.write("1_Pooling/config.json", R"({"word_embedding_dimension": 24, "pooling_mode_cls_token": true,
                                               "pooling_mode_mean_tokens": false})");
  Random random(17);
  for (const auto& [folder, outputs] :
       {std::pair("colbert_linear", model.hidden), {"sparse_linear", lexical_outputs}}) {
    const std::string width = std::to_string(outputs);
    directory.write(std::string(folder) + "/config.json",
                    R"({"in_features": 24, "out_features": )" + width +
                        R"(, "bias": true, "activation_function": "torch.nn.modules.linear.Identity"})");
    const std::vector<float> weight = random.numbers(outputs * model.hidden), bias = random.numbers(outputs);
    directory.write(std::string(folder) + "/model.safetensors",
                    image_of({{"linear.bias", "F32", {outputs}, bytes_of(bias)},
                              {"linear.weight", "F32", {outputs, model.hidden}, bytes_of(weight)}}));
  }
}

}  // namespace bert::test
