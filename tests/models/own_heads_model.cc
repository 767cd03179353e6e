#include "tests/models/own_heads_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/support/random.h"
#include "tests/support/safetensors_writer.h"

namespace bert::test {

OwnHeadsModel::OwnHeadsModel(Shape shape) : shape_(shape) {
  add("embed_tokens.weight", {kVocab, kHidden});
  add("norm.weight", {kHidden});
  for (size_t layer = 0; layer < kLayers; ++layer) {
    const std::string prefix = "layers." + std::to_string(layer) + ".";
    add(prefix + "input_layernorm.weight", {kHidden});
    add(prefix + "post_attention_layernorm.weight", {kHidden});
    if (has_block_norms()) {
      add(prefix + "pre_feedforward_layernorm.weight", {kHidden});
      add(prefix + "post_feedforward_layernorm.weight", {kHidden});
    }
    if (shape == Shape::kLfm2 && layer == 0) {
      add(prefix + "conv.in_proj.weight", {3 * kHidden, kHidden});
      add(prefix + "conv.conv.weight", {kHidden, 1, kWidth});
      add(prefix + "conv.out_proj.weight", {kHidden, kHidden});
    } else {
      add_attention(prefix);
    }
    add(prefix + "mlp.gate_proj.weight", {kInner, kHidden});
    add(prefix + "mlp.up_proj.weight", {kInner, kHidden});
    add(prefix + "mlp.down_proj.weight", {kHidden, kInner});
  }
}

void OwnHeadsModel::add_attention(const std::string& prefix) {
  add(prefix + "self_attn.q_proj.weight", {kHeads * kHeadDim, kHidden});
  add(prefix + "self_attn.k_proj.weight", {kKeyHeads * kHeadDim, kHidden});
  add(prefix + "self_attn.v_proj.weight", {kKeyHeads * kHeadDim, kHidden});
  add(prefix + "self_attn.o_proj.weight", {kHidden, kHeads * kHeadDim});
  if (shape_ == Shape::kQwen2) {
    add(prefix + "self_attn.q_proj.bias", {kHeads * kHeadDim});
    add(prefix + "self_attn.k_proj.bias", {kKeyHeads * kHeadDim});
    add(prefix + "self_attn.v_proj.bias", {kKeyHeads * kHeadDim});
  } else if (has_head_norms()) {
    add(prefix + "self_attn.q_norm.weight", {kHeadDim});
    add(prefix + "self_attn.k_norm.weight", {kHeadDim});
  }
}

void OwnHeadsModel::add(const std::string& name, const std::vector<size_t>& shape) {
  size_t count = 1;
  for (const size_t size : shape) count *= size;
  Random random(tensors_.size() + 1);
  tensors_[name] = {shape, random.numbers(count, shape.size() == 1 ? 0.5f : 0.4f)};
}

void OwnHeadsModel::add_zeros(const std::string& name, const std::vector<size_t>& shape) {
  add(name, shape);
  std::fill(tensors_[name].values.begin(), tensors_[name].values.end(), 0.0f);
}

void OwnHeadsModel::rename(const std::string& name, const std::string& other) {
  auto tensor = tensors_.extract(name);
  tensor.key() = other;
  tensors_.insert(std::move(tensor));
}

nlohmann::json OwnHeadsModel::config() {
  return {{"vocab_size", kVocab},          {"hidden_size", kHidden},           {"num_hidden_layers", kLayers},
          {"num_attention_heads", kHeads}, {"num_key_value_heads", kKeyHeads}, {"head_dim", kHeadDim},
          {"intermediate_size", kInner}};
}

void OwnHeadsModel::stack(const std::vector<std::string>& parts, const std::string& name) {
  for (size_t layer = 0; layer < kLayers; ++layer) {
    const std::string prefix = "layers." + std::to_string(layer) + ".";
    Tensor all;
    for (const std::string& part : parts) {
      const Tensor tensor = tensors_.extract(prefix + part).mapped();
      all.values.insert(all.values.end(), tensor.values.begin(), tensor.values.end());
      all.shape = {all.values.size() / tensor.shape[1], tensor.shape[1]};
    }
    tensors_[prefix + name] = all;
  }
}

void OwnHeadsModel::write(const TemporaryDirectory& directory, const nlohmann::json& settings,
                          const std::string& prefix) const {
  nlohmann::json fields = config();
  fields.update(settings);
  directory.write("config.json", fields.dump());
  std::vector<TestTensor> tensors;
  for (const auto& [name, tensor] : tensors_) {
    const bool is_module = name.starts_with("linear.") || name.starts_with("score.");
    tensors.push_back({(is_module ? "" : prefix) + name, "F32", tensor.shape, bytes_of(tensor.values)});
  }
  directory.write("model.safetensors", image_of(tensors));
  nlohmann::json vocabulary = {{"<unk>", 0}, {"</s>", 1}};
  for (int id = 2; id < static_cast<int>(kVocab); ++id) vocabulary[std::string(1, static_cast<char>('A' + id))] = id;
  const nlohmann::json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
                       pair = {{"Sequence", {{"id", "B"}, {"type_id", 0}}}},
                       end = {{"SpecialToken", {{"id", "</s>"}, {"type_id", 0}}}};
  const nlohmann::json tokenizer = {
      {"version", "1.0"},
      {"added_tokens",
       {{{"id", 1},
         {"content", "</s>"},
         {"single_word", false},
         {"lstrip", false},
         {"rstrip", false},
         {"normalized", false},
         {"special", true}}}},
      {"pre_tokenizer", {{"type", "Whitespace"}}},
      {"post_processor",
       {{"type", "TemplateProcessing"},
        {"single", {text, end}},
        {"pair", {text, end, pair, end}},
        {"special_tokens", {{"</s>", {{"id", "</s>"}, {"ids", {1}}, {"tokens", {"</s>"}}}}}}}},
      {"model", {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", "<unk>"}}}};
  directory.write("tokenizer.json", tokenizer.dump());
}

OwnHeadsModel::Rows OwnHeadsModel::dense(const Rows& x, const std::string& name) const {
  const Tensor& weight = tensors_.at(name + ".weight");
  const size_t out = weight.shape[0], in = weight.shape[1];
  const auto bias = tensors_.find(name + ".bias");
  Rows y;
  for (size_t row = 0; row < x.size() / in; ++row) {
    for (size_t o = 0; o < out; ++o) {
      double sum = bias == tensors_.end() ? 0 : static_cast<double>(bias->second.values[o]);
      for (size_t i = 0; i < in; ++i) sum += x[row * in + i] * static_cast<double>(weight.values[o * in + i]);
      y.push_back(sum);
    }
  }
  return y;
}

// Applies RMSNorm to rows of the weights' width. Gemma stores weights minus 1.
OwnHeadsModel::Rows OwnHeadsModel::normalized(const Rows& x, const std::string& name) const {
  const std::vector<float>& weight = tensors_.at(name + ".weight").values;
  Rows y;
  for (size_t first = 0; first < x.size(); first += weight.size()) {
    double squares = 0;
    for (size_t i = 0; i < weight.size(); ++i) squares += x[first + i] * x[first + i];
    const double scale = 1 / std::sqrt(squares / static_cast<double>(weight.size()) + 1e-6);
    for (size_t i = 0; i < weight.size(); ++i) {
      const double factor = static_cast<double>(weight[i]) + (is_gemma() ? 1 : 0);
      y.push_back(x[first + i] * scale * factor);
    }
  }
  return y;
}

// Rotates heads, [tokens, count, kHeadDim], in place.
void OwnHeadsModel::rotate(Rows& heads, size_t count, double theta) const {
  constexpr size_t kPairs = kHeadDim / 2;
  for (size_t row = 0; row < heads.size() / kHeadDim; ++row) {
    const auto place = static_cast<double>(row / count);
    for (size_t i = 0; i < kPairs; ++i) {
      const double angle = place * std::pow(theta, -2.0 * static_cast<double>(i) / kHeadDim);
      double &a = heads[row * kHeadDim + i], &b = heads[row * kHeadDim + kPairs + i];
      const double turned = a * std::cos(angle) - b * std::sin(angle);
      b = b * std::cos(angle) + a * std::sin(angle);
      a = turned;
    }
  }
}

OwnHeadsModel::Rows OwnHeadsModel::attention(const Rows& x, const std::string& prefix, size_t layer,
                                             const Sight& sight) const {
  if (tensors_.contains(prefix + "conv.conv.weight")) return convolution(x, prefix);
  const std::string self = prefix + "self_attn.";
  Rows q = dense(x, self + "q_proj"), k = dense(x, self + "k_proj");
  if (has_head_norms()) {
    q = normalized(q, self + "q_norm");
    k = normalized(k, self + "k_norm");
  }
  const Rows v = dense(x, self + "v_proj");
  rotate(q, kHeads, sight.thetas[layer]);
  rotate(k, kKeyHeads, sight.thetas[layer]);
  const size_t tokens = x.size() / kHidden;
  Rows heads(tokens * kHeads * kHeadDim);
  for (size_t head = 0; head < kHeads; ++head) {
    const size_t key_head = head / (kHeads / kKeyHeads);
    for (size_t i = 0; i < tokens; ++i) {
      double* const sums = &heads[(i * kHeads + head) * kHeadDim];
      double total = 0;
      for (size_t j = 0; j < tokens; ++j) {
        const size_t distance = i > j ? i - j : j - i;
        if (distance > sight.windows[layer] || (sight.is_causal && j > i)) continue;
        const double* const query = &q[(i * kHeads + head) * kHeadDim];
        const double* const key = &k[(j * kKeyHeads + key_head) * kHeadDim];
        double score = 0;
        for (size_t d = 0; d < kHeadDim; ++d) score += query[d] * key[d];
        score /= std::sqrt(sight.score_width);
        if (sight.soft_cap > 0) score = sight.soft_cap * std::tanh(score / sight.soft_cap);
        const double weight = std::exp(score);
        total += weight;
        for (size_t d = 0; d < kHeadDim; ++d) sums[d] += weight * v[(j * kKeyHeads + key_head) * kHeadDim + d];
      }
      for (size_t d = 0; d < kHeadDim; ++d) sums[d] /= total;
    }
  }
  return dense(heads, self + "o_proj");
}

// The first product has the thirds b, c and x. Returns the product of c and the weighted sum of b * x over the token
// and the tokens before it, projected.
OwnHeadsModel::Rows OwnHeadsModel::convolution(const Rows& x, const std::string& prefix) const {
  const Rows thirds = dense(x, prefix + "conv.in_proj");
  const std::vector<float>& weight = tensors_.at(prefix + "conv.conv.weight").values;
  Rows y;
  for (size_t row = 0; row < x.size() / kHidden; ++row) {
    for (size_t i = 0; i < kHidden; ++i) {
      double sum = 0;
      for (size_t back = 0; back < kWidth && back <= row; ++back) {
        const double* const of_row = &thirds[(row - back) * 3 * kHidden];
        sum += static_cast<double>(weight[i * kWidth + kWidth - 1 - back]) * of_row[i] * of_row[2 * kHidden + i];
      }
      y.push_back(sum * thirds[row * 3 * kHidden + kHidden + i]);
    }
  }
  return dense(y, prefix + "conv.out_proj");
}

// Gemma's gate uses the approximate GELU, the others SiLU.
OwnHeadsModel::Rows OwnHeadsModel::feed_forward(const Rows& x, const std::string& prefix) const {
  Rows wide = dense(x, prefix + "mlp.gate_proj");
  const Rows up = dense(x, prefix + "mlp.up_proj");
  for (size_t i = 0; i < wide.size(); ++i) {
    const double a = wide[i];
    const double cubic = std::sqrt(2 / std::acos(-1.0)) * (a + 0.044715 * a * a * a);
    wide[i] = (!is_gemma() ? a / (1 + std::exp(-a)) : a / 2 * (1 + std::tanh(cubic))) * up[i];
  }
  return dense(wide, prefix + "mlp.down_proj");
}

std::vector<double> OwnHeadsModel::encode(const std::vector<int32_t>& ids, const Sight& sight) const {
  Rows x;
  for (const int32_t id : ids) {
    for (size_t i = 0; i < kHidden; ++i) {
      const float value = tensors_.at("embed_tokens.weight").values[static_cast<size_t>(id) * kHidden + i];
      x.push_back(static_cast<double>(value) * (is_gemma() ? std::sqrt(static_cast<double>(kHidden)) : 1));
    }
  }
  const auto add = [&](const Rows& block, const std::string& norm_of_it) {
    const Rows added = has_block_norms() ? normalized(block, norm_of_it) : block;
    for (size_t i = 0; i < x.size(); ++i) x[i] += added[i];
  };
  for (size_t layer = 0; layer < kLayers; ++layer) {
    const std::string prefix = "layers." + std::to_string(layer) + ".";
    add(attention(normalized(x, prefix + "input_layernorm"), prefix, layer, sight),
        prefix + "post_attention_layernorm");
    const std::string before = has_block_norms() ? "pre_feedforward_layernorm" : "post_attention_layernorm";
    add(feed_forward(normalized(x, prefix + before), prefix), prefix + "post_feedforward_layernorm");
  }
  return normalized(x, "norm");
}

std::vector<int32_t> some_ids(size_t count) {
  std::vector<int32_t> ids;
  for (size_t i = 0; i < count; ++i) ids.push_back(static_cast<int32_t>(i * 7 % OwnHeadsModel::kVocab));
  return ids;
}

}  // namespace bert::test
