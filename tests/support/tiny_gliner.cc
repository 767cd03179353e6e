#include "tests/support/tiny_gliner.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/random.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

constexpr size_t kVocab = 43;  // includes the three markers

const char* const kTokenizerConfig = R"({
  "tokenizer_class": "BertTokenizer", "do_lower_case": true,
  "added_tokens_decoder": {"40": {"content": "[FLERT]", "special": true}, "41": {"content": "<<ENT>>", "special": true},
                           "42": {"content": "<<SEP>>", "special": true}}})";

class OuterTensors {
 public:
  OuterTensors(const TinyGliner& model, TinyTensors& tensors)
      : model_(model), width_(model.hidden), tensors_(tensors) {}

  void add() {
    if (width_ != TinyModel().hidden) dense("token_rep_layer.projection", width_, TinyModel().hidden);
    if (model_.encodes_labels && width_ != TinyModel().hidden) {
      dense("token_rep_layer.labels_projection", width_, TinyModel().hidden);
    }
    for (const char* ending : {"", "_reverse"}) {
      const std::string end = std::string("_l0") + ending;
      numbers("rnn.lstm.weight_ih" + end, {2 * width_, width_});
      numbers("rnn.lstm.weight_hh" + end, {2 * width_, width_ / 2});
      numbers("rnn.lstm.bias_ih" + end, {2 * width_});
      numbers("rnn.lstm.bias_hh" + end, {2 * width_});
    }
    if (model_.reads_words) {
      dense("scorer.proj_token", 2 * width_, width_);
      dense("scorer.proj_label", 2 * width_, width_);
      dense("scorer.out_mlp.0", 4 * width_, 3 * width_);
      dense("scorer.out_mlp.3", 3, 4 * width_);
      return;
    }
    const std::string layer = "span_rep_layer.span_rep_layer.";
    two_layers(layer + "project_start", width_);
    two_layers(layer + "project_end", width_);
    two_layers(layer + "out_project", 2 * width_);
    two_layers("prompt_rep_layer", width_);
  }

 private:
  void numbers(const std::string& name, const std::vector<size_t>& shape) {
    size_t count = 1;
    for (const size_t size : shape) count *= size;
    const float scale = shape.size() == 1 ? 0.1f : 2 / std::sqrt(static_cast<float>(shape.back()));
    tensors_[name] = {shape, random_.numbers(count, scale)};
  }
  void dense(const std::string& name, size_t out, size_t in) {
    numbers(name + ".weight", {out, in});
    numbers(name + ".bias", {out});
  }
  void two_layers(const std::string& name, size_t in) {
    dense(name + ".0", 4 * width_, in);
    dense(name + ".3", width_, 4 * width_);
  }

  const TinyGliner& model_;
  size_t width_;
  TinyTensors& tensors_;
  Random random_{31};
};

}  // namespace

void write_tiny_gliner(const TemporaryDirectory& directory, const TinyGliner& model) {
  const TinyModel encoder{.vocab = kVocab, .positions = 64};
  write_tiny_model(directory, encoder, [&](TinyTensors& tensors) {
    TinyTensors renamed;
    for (const auto& [name, tensor] : tensors) {
      renamed["token_rep_layer.bert_layer.model." + name] = tensor;
      if (model.encodes_labels) renamed["token_rep_layer.labels_encoder.model." + name] = tensor;
    }
    OuterTensors(model, renamed).add();
    if (model.edit) model.edit(renamed);
    tensors = std::move(renamed);
  });
  const std::filesystem::path config_path = directory.path() / "config.json";
  const nlohmann::json config = nlohmann::json::parse(std::ifstream(config_path));
  std::filesystem::remove(config_path);
  nlohmann::json gliner = nlohmann::json::parse("{" + model.settings + "}");
  gliner.update({{"hidden_size", model.hidden}, {"max_width", 3}, {"model_name", "tiny/encoder"}});
  if (!gliner.contains("encoder_config")) gliner["encoder_config"] = config;
  if (model.reads_words) gliner["span_mode"] = "token_level";
  if (model.encodes_labels) {
    gliner["labels_encoder"] = "tiny/labels";
    gliner["labels_encoder_config"] = config;
    directory.write("labels_tokenizer/vocab.txt", tiny_vocabulary(kVocab - 3));
    directory.write("labels_tokenizer/tokenizer_config.json", kTokenizerConfig);
  } else if (!gliner.contains("class_token_index")) {
    gliner.update({{"class_token_index", 41}, {"vocab_size", kVocab}});
  }
  directory.write("gliner_config.json", gliner.dump());
  directory.write("vocab.txt", tiny_vocabulary(kVocab - 3));
  directory.write("tokenizer_config.json", kTokenizerConfig);
}

}  // namespace bert::test
