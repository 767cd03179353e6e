#include "tests/support/firing_models.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/random.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

constexpr size_t kHidden = 24, kPlanted = 12;  // the first kPlanted dimensions belong to the planted words

size_t id_of(const std::string& word) {
  std::istringstream lines(tiny_vocabulary(40));
  size_t id = 0;
  for (std::string line; std::getline(lines, line); ++id) {
    if (line == word) return id;
  }
  return id;
}

void fill(TinyTensor& tensor, float value) { std::fill(tensor.values.begin(), tensor.values.end(), value); }

// Makes each token's output its own embedding, normalised: attention, feed-forward layers and positions add nothing.
// The output of the word planted[i] is about 4.8 in dimension i and 0 elsewhere; other words use the dimensions after
// kPlanted.
void set_alone(TinyTensors& tensors, const std::vector<std::string>& planted) {
  for (auto& [name, tensor] : tensors) {
    if (name.ends_with("LayerNorm.weight")) fill(tensor, 1);
    const bool is_zero = name.ends_with("LayerNorm.bias") || name.find("output.dense") != std::string::npos ||
                         name.find("position_embeddings") != std::string::npos ||
                         name.find("token_type_embeddings") != std::string::npos;
    if (is_zero) fill(tensor, 0);
  }
  TinyTensor& words = tensors.at("embeddings.word_embeddings.weight");
  for (size_t row = 0; row < words.shape[0]; ++row) {
    std::fill_n(words.values.begin() + static_cast<std::ptrdiff_t>(row * kHidden), kPlanted, 0.0f);
  }
  for (size_t i = 0; i < planted.size(); ++i) {
    const size_t row = id_of(planted[i]) * kHidden;
    std::fill_n(words.values.begin() + static_cast<std::ptrdiff_t>(row), kHidden, 0.0f);
    words.values[row + i] = 1;
  }
}

TinyTensor zeros(size_t rows, size_t cols) { return {{rows, cols}, std::vector<float>(rows * cols)}; }

// Makes the first layer, its ReLU and the second layer return their input.
void set_identity(TinyTensors& tensors, const std::string& name) {
  for (const char* layer : {".0", ".3"}) {
    TinyTensor& weight = tensors.at(name + layer + ".weight");
    fill(weight, 0);
    fill(tensors.at(name + layer + ".bias"), 0);
    for (size_t i = 0; i < kHidden; ++i) weight.values[i * weight.shape[1] + i] = 1;
  }
}

}  // namespace

void write_firing_tagger(const TemporaryDirectory& directory, const std::map<std::string, std::string>& labels) {
  std::vector<std::string> words, names = {"O"};
  for (const auto& [word, label] : labels) {
    words.push_back(word);
    if (std::find(names.begin(), names.end(), label) == names.end()) names.push_back(label);
  }
  const TinyModel model{.architectures = {"BertForTokenClassification"}};
  write_tiny_model(directory, model, [&](TinyTensors& tensors) {
    set_alone(tensors, words);
    TinyTensor weight = zeros(names.size(), kHidden);
    for (size_t i = 0; i < words.size(); ++i) {
      const auto label = std::find(names.begin(), names.end(), labels.at(words[i])) - names.begin();
      weight.values[static_cast<size_t>(label) * kHidden + i] = 4;
    }
    std::vector<float> bias(names.size());
    bias[0] = 8;
    tensors["classifier.weight"] = std::move(weight);
    tensors["classifier.bias"] = {{names.size()}, std::move(bias)};
  });
  nlohmann::json config = nlohmann::json::parse(read_file(directory.path() / "config.json"));
  config["num_labels"] = names.size();
  for (size_t i = 0; i < names.size(); ++i) config["id2label"][std::to_string(i)] = names[i];
  directory.write("config.json", config.dump());
}

void write_firing_gliner(const TemporaryDirectory& directory) {
  // The label's vector is that of its word. A span's score is 4.8 * (3 * ReLU(brown + fox - 6) - 5), which is above 0
  // only for the two words together.
  TinyGliner model{.settings = R"("num_rnn_layers": 0, "embed_ent_token": false, "max_len": 384)"};
  model.edit = [](TinyTensors& tensors) {
    TinyTensors encoder;
    const std::string prefix = "token_rep_layer.bert_layer.model.";
    for (const auto& [name, tensor] : tensors) {
      if (name.starts_with(prefix)) encoder[name.substr(prefix.size())] = tensor;
    }
    set_alone(encoder, {"brown", "fox", "coding"});
    for (auto& [name, tensor] : encoder) tensors[prefix + name] = std::move(tensor);
    std::erase_if(tensors, [](const auto& tensor) { return tensor.first.starts_with("rnn."); });
    const std::string layer = "span_rep_layer.span_rep_layer.";
    for (const std::string& name : {layer + "project_start", layer + "project_end", std::string("prompt_rep_layer")}) {
      set_identity(tensors, name);
    }
    TinyTensor &inner = tensors.at(layer + "out_project.0.weight"),
               &output = tensors.at(layer + "out_project.3.weight");
    fill(inner, 0);
    fill(output, 0);
    fill(tensors.at(layer + "out_project.0.bias"), 0);
    fill(tensors.at(layer + "out_project.3.bias"), 0);
    inner.values[0] = inner.values[kHidden + 1] = 1;
    tensors.at(layer + "out_project.0.bias").values[0] = -6;
    output.values[2 * output.shape[1]] = 3;
    tensors.at(layer + "out_project.3.bias").values[2] = -5;
  };
  write_tiny_gliner(directory, model);
}

std::string text_with_foxes(size_t words, const std::vector<size_t>& places) {
  constexpr const char* kWords[] = {"the", "quick", "jumps", "over", "lazy", "dog", "i", "do", "like"};
  std::vector<std::string> list;
  for (size_t i = 0; i < words; ++i) list.emplace_back(kWords[i % std::size(kWords)]);
  for (const size_t place : places) {
    list[place] = "brown";
    list[place + 1] = "fox";
  }
  std::string text;
  for (const std::string& word : list) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace bert::test
