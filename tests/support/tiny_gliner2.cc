#include "tests/support/tiny_gliner2.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/random.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

constexpr size_t kSchemaWords = 40;  // words of the vocabulary; the markers follow them
constexpr const char* kSchemaMarkers[] = {"[SEP_STRUCT]", "[SEP_TEXT]", "[P]",       "[C]",      "[E]",
                                          "[R]",          "[L]",        "[EXAMPLE]", "[OUTPUT]", "[DESCRIPTION]"};

class SchemaTensors {
 public:
  explicit SchemaTensors(TinyTensors& tensors) : tensors_(tensors), width_(TinyModel().hidden) {}

  void add(const TinyGliner2& model) {
    dense("classifier.0", 2 * width_, width_);
    dense(model.has_boundaries ? "classifier.3" : "classifier.2", 1, 2 * width_);
    model.has_boundaries ? add_boundaries() : add_spans();
  }

 private:
  void add_spans() {
    dense("count_pred.0", 2 * width_, width_);
    dense("count_pred.2", 20, 2 * width_);
    tensors_["count_pred.2.bias"].values[0] = -9;  // makes a count of 0 improbable
    numbers("count_embed.pos_embedding.weight", {20, width_});
    for (const char* name : {"ih_l0", "hh_l0"}) {
      numbers(std::string("count_embed.gru.weight_") + name, {3 * width_, width_});
      numbers(std::string("count_embed.gru.bias_") + name, {3 * width_});
    }
    dense("count_embed.projector.0", 4 * width_, 2 * width_);
    dense("count_embed.projector.2", width_, 4 * width_);
    const std::string layer = "span_rep.span_rep_layer.";
    for (const char* name : {"project_start", "project_end", "out_project"}) {
      dense(layer + name + ".0", 4 * width_, (std::string(name) == "out_project" ? 2 : 1) * width_);
      dense(layer + name + ".3", width_, 4 * width_);
    }
  }
  void add_boundaries() {
    const std::string head = "boundary_head.";
    constexpr size_t kOwn = 8, kPair = 16;
    numbers(head + "boundary_encoder.bos_state", {width_});
    numbers(head + "boundary_encoder.eos_state", {width_});
    dense(head + "boundary_encoder.left_projection", kOwn, width_);
    dense(head + "boundary_encoder.right_projection", kOwn, width_);
    dense(head + "boundary_encoder.output_projection", kOwn, 2 * kOwn);
    norm(head + "boundary_encoder.layer_norm", kOwn);
    norm(head + "boundary_encoder.refinement_blocks.0.norm", kOwn);
    dense(head + "boundary_encoder.refinement_blocks.0.input_projection", 4 * kOwn, kOwn);
    dense(head + "boundary_encoder.refinement_blocks.0.output_projection", kOwn, 2 * kOwn);
    for (const char* name : {"start", "end"}) {
      dense(head + "boundary_query_head." + name + "_boundary_projection", kOwn, kOwn);
      dense(head + "boundary_query_head." + name + "_query_projection", kOwn, width_);
    }
    dense(head + "boundary_query_head.inside_text_projection", kOwn, width_);
    dense(head + "boundary_query_head.inside_query_projection", kOwn, width_);
    dense(head + "boundary_proposer.start_pair_projection", kOwn, kOwn);
    dense(head + "boundary_proposer.end_key_projection", kOwn, kOwn);
    dense(head + "boundary_proposer.start_query_projection", kOwn, width_);
    dense(head + "pair_scorer.start_endpoint_projection", kPair, kOwn);
    dense(head + "pair_scorer.end_endpoint_projection", kPair, kOwn);
    dense(head + "pair_scorer.query_gate", kPair, width_);
    dense(head + "pair_scorer.compat_mix", 1, 8);
    dense(head + "pair_scorer.length_query_projection", 3, width_);
    tensors_[head + "pair_scorer.inside_weight"] = {{}, {1.0f}};
    // The reference's files have these tensors too, whichever of them it uses.
    dense(head + "shared_pool_builder.start_projection", kOwn, kOwn);
    dense("record_decoder.object_head", 1, width_);
    dense("relation_scorer.mlp.0", width_, width_);
  }

  void numbers(const std::string& name, const std::vector<size_t>& shape) {
    size_t count = 1;
    for (const size_t size : shape) count *= size;
    const float scale = shape.size() == 1 ? 0.1f : 1 / std::sqrt(static_cast<float>(shape.back()));
    tensors_[name] = {shape, random_.numbers(count, scale)};
  }
  void dense(const std::string& name, size_t out, size_t in) {
    numbers(name + ".weight", {out, in});
    numbers(name + ".bias", {out});
  }
  void norm(const std::string& name, size_t width) {
    tensors_[name + ".weight"] = {{width}, std::vector<float>(width, 1.0f)};
    numbers(name + ".bias", {width});
  }

  TinyTensors& tensors_;
  size_t width_;
  Random random_{41};
};

}  // namespace

void write_tiny_gliner2(const TemporaryDirectory& directory, const TinyGliner2& model) {
  const size_t markers = std::size(kSchemaMarkers);
  write_tiny_model(directory, {.vocab = kSchemaWords + markers, .positions = 64}, [&](TinyTensors& tensors) {
    TinyTensors renamed;
    for (const auto& [name, tensor] : tensors) renamed["encoder." + name] = tensor;
    SchemaTensors(renamed).add(model);
    tensors = std::move(renamed);
  });
  const nlohmann::json encoder = nlohmann::json::parse(std::ifstream(directory.path() / "config.json"));
  directory.write("encoder_config/config.json", encoder.dump());
  nlohmann::json config = {{"model_type", "extractor"}, {"model_name", "tiny/encoder"}};
  if (model.has_boundaries) {
    config["architecture"] = "boundary";
    config["boundary_head"] = {
        {"boundary_dim", 8}, {"pair_dim", 16}, {"enable_abstention", false}, {"enable_count_head", false}};
  } else {
    config["max_width"] = 3;
  }
  config.update(nlohmann::json::parse("{" + model.settings + "}"));
  directory.write("config.json", config.dump());
  nlohmann::json tokenizer = {{"tokenizer_class", "BertTokenizer"}, {"do_lower_case", true}};
  for (const char* name : kSchemaMarkers) {
    if (!model.has_markers) break;
    nlohmann::json& added = tokenizer["added_tokens_decoder"];
    added[std::to_string(kSchemaWords + added.size())] = {{"content", name}, {"special", true}};
  }
  directory.write("vocab.txt", tiny_vocabulary(kSchemaWords));
  directory.write("tokenizer_config.json", tokenizer.dump());
}

}  // namespace bert::test
