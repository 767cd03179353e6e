#include "tests/support/tiny_gliclass.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/random.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

constexpr size_t kWords = 40;  // words of the vocabulary; the markers follow them

class ClassTensors {
 public:
  explicit ClassTensors(TinyTensors& tensors) : tensors_(tensors) {}

  void add(const TinyGliClass& model) {
    const size_t width = TinyModel().hidden;
    projector("text_projector", width);
    projector("classes_projector", width);
    if (model.architecture != "uni-encoder") projector("biencoder_projector", width);
    tensors_["model.logit_scale"] = {{}, {1.5f}};
    for (const char* ending : {"", "_reverse"}) {
      if (!model.lstm) break;
      const std::string end = std::string("_l0") + ending;
      numbers("lstm.lstm.weight_ih" + end, {2 * width, width});
      numbers("lstm.lstm.weight_hh" + end, {2 * width, width / 2});
      numbers("lstm.lstm.bias_ih" + end, {2 * width});
      numbers("lstm.lstm.bias_hh" + end, {2 * width});
    }
    if (model.scorer == "weighted-dot") {
      dense("scorer.proj_text", 2 * width, width);
      dense("scorer.proj_label", 2 * width, width);
      dense("scorer.out_mlp.0", 4 * width, 3 * width);
      dense("scorer.out_mlp.3", 1, 4 * width);
    }
    if (model.scorer == "mlp") {
      dense("scorer.mlp.0", 256, 2 * width);
      dense("scorer.mlp.2", 128, 256);
      dense("scorer.mlp.4", 1, 128);
    }
  }

 private:
  void numbers(const std::string& name, const std::vector<size_t>& shape) {
    size_t count = 1;
    for (const size_t size : shape) count *= size;
    const float scale = shape.size() == 1 ? 0.1f : 2 / std::sqrt(static_cast<float>(shape.back()));
    tensors_["model." + name] = {shape, random_.numbers(count, scale)};
  }
  void dense(const std::string& name, size_t out, size_t in) {
    numbers(name + ".weight", {out, in});
    numbers(name + ".bias", {out});
  }
  void projector(const std::string& name, size_t width) {
    dense(name + ".linear_1", width, width);
    dense(name + ".linear_2", width, width);
  }

  TinyTensors& tensors_;
  Random random_{37};
};

}  // namespace

void write_tiny_gliclass(const TemporaryDirectory& directory, const TinyGliClass& model) {
  const bool has_two = model.architecture != "uni-encoder";
  write_tiny_model(directory, {.vocab = kWords + 2, .positions = 64}, [&](TinyTensors& tensors) {
    TinyTensors renamed;
    for (const auto& [name, tensor] : tensors) {
      renamed["model.encoder_model." + name] = tensor;
      if (has_two) renamed["model.label_encoder." + name] = tensor;
    }
    ClassTensors(renamed).add(model);
    tensors = std::move(renamed);
  });
  const nlohmann::json encoder = nlohmann::json::parse(std::ifstream(directory.path() / "config.json"));
  nlohmann::json config = {{"model_type", "GLiClass"},    {"architecture_type", model.architecture},
                           {"scorer_type", model.scorer}, {"use_lstm", model.lstm},
                           {"prompt_first", true},        {"encoder_config", encoder},
                           {"class_token_index", kWords}, {"text_token_index", kWords + 1}};
  if (has_two) {
    config["label_model_name"] = "tiny/labels";
    config["label_model_config"] = encoder;
  }
  config.update(nlohmann::json::parse("{" + model.settings + "}"));
  directory.write("config.json", config.dump());
  nlohmann::json tokenizer = {{"tokenizer_class", "BertTokenizer"}, {"do_lower_case", true}};
  for (const char* name : {"<<LABEL>>", "<<SEP>>"}) {
    nlohmann::json& added = tokenizer["added_tokens_decoder"];
    added[std::to_string(kWords + added.size())] = {{"content", name}, {"special", true}};
  }
  for (const char* folder : {"", "labels_tokenizer/"}) {
    if (*folder != '\0' && !has_two) continue;
    directory.write(std::string(folder) + "vocab.txt", tiny_vocabulary(kWords));
    directory.write(std::string(folder) + "tokenizer_config.json", tokenizer.dump());
  }
}

}  // namespace bert::test
