#include "models/encoder.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "engine/base/quote.h"
#include "models/activations.h"
#include "models/positions.h"

namespace bert {

namespace {

// Where a layer stands: its number, and its group's and its place in that where layers are shared.
struct LayerPlace {
  size_t layer;
  size_t group;
  size_t inner;
};

}  // namespace

// Reads the layers' parameters with the shapes that the configuration asks for.
class Encoder::LayerReader {
 public:
  LayerReader(const ModelConfig& config, const Family& family, WeightReader& weights)
      : config_(config),
        family_(family),
        weights_(weights),
        scheme_(position_scheme(config)),
        activation_(*find_activation(config.hidden_act)) {}

  Embeddings embeddings() {
    const size_t width = config_.embedding_width();
    word_ = table(family_.word_embeddings, config_.vocab_size);
    Embeddings::Parts parts{.word = word_,
                            .token_type = {},
                            .position = {},
                            .sinusoid = {},
                            .norm = norm(std::string(family_.embeddings_norm), width),
                            .projection = {}};
    if (!family_.token_type_embeddings.empty()) {
      parts.token_type = table(family_.token_type_embeddings, config_.type_vocab_size);
    }
    if (scheme_.table) parts.position = table(family_.position_embeddings, config_.max_position_embeddings);
    if (scheme_.sinusoid) parts.sinusoid.emplace(width);
    if (width != config_.hidden_size || family_.projects_equal_sizes) {
      parts.projection = Linear({dense(std::string(family_.embedding_projection), config_.hidden_size, width)});
    }
    return Embeddings(std::move(parts));
  }

  EncoderLayer layer(const LayerPlace& place) {
    const size_t hidden = config_.hidden_size;
    const size_t wide = config_.intermediate_size;
    const auto name = [&](std::string_view pattern) { return name_of(pattern, place); };
    return EncoderLayer(
        {.attention =
             SelfAttention(Linear({dense(name(family_.query), hidden, hidden), dense(name(family_.key), hidden, hidden),
                                   dense(name(family_.value), hidden, hidden)}),
                           config_.num_attention_heads, relative_positions(place)),
         .attention_output = Linear({dense(name(family_.attention_output), hidden, hidden)}),
         .attention_norm = norm(name(family_.attention_norm), hidden),
         .feed_forward = FeedForward(Linear({dense(name(family_.feed_forward_up), wide, hidden)}, activation_),
                                     Linear({dense(name(family_.feed_forward_down), hidden, wide)})),
         .output_norm = norm(name(family_.output_norm), hidden)});
  }

  const std::vector<bool>& used() const { return weights_.used(); }

  std::optional<Pooler> pooler() {
    const std::string name(family_.pooler);
    if (name.empty() || (!weights_.has(name + ".weight") && !weights_.has(name + ".bias"))) return std::nullopt;
    return Pooler(Linear({dense(name, config_.hidden_size, config_.hidden_size)}, Activation::kTanh));
  }

  // The same tensor may be another head's in another class of models: then the class decides, as config.json names it.
  bool has_head(const HeadNames& names) const {
    if (!weights_.has(std::string(names.dense.empty() ? names.output : names.dense) + ".weight")) return false;
    if (names.head == Head::kMaskedLm) {
      return config_.tie_word_embeddings || weights_.has(std::string(names.output) + ".weight");
    }
    if (!weights_.has(std::string(names.output) + ".weight")) return false;
    const auto others = std::count_if(family_.heads.begin(), family_.heads.end(),
                                      [&](const HeadNames& other) { return other.output == names.output; });
    return others == 1 || is_of_class(names.head);
  }

  PredictionHead head(const HeadNames& names) {
    const bool words = names.head == Head::kMaskedLm;
    const size_t width = words ? config_.embedding_width() : config_.hidden_size;
    PredictionHead::Parts parts{.dense = {}, .norm = {}, .output = Linear({head_output(names, width)})};
    if (!names.dense.empty()) {
      parts.dense =
          Linear({dense(std::string(names.dense), width, config_.hidden_size)}, names.activation.value_or(activation_));
    }
    if (!names.norm.empty()) parts.norm = norm(std::string(names.norm), width);
    return PredictionHead(std::move(parts));
  }

 private:
  static std::string name_of(std::string_view pattern, const LayerPlace& place) {
    std::string text(pattern);
    const auto put = [&](std::string_view mark, size_t number) {
      if (const size_t at = text.find(mark); at != std::string::npos) {
        text.replace(at, mark.size(), std::to_string(number));
      }
    };
    put("{}", place.layer);
    put("{group}", place.group);
    put("{inner}", place.inner);
    return text;
  }

  WeightView table(std::string_view name, size_t rows) {
    return weights_.matrix(std::string(name) + ".weight", rows, config_.embedding_width());
  }
  LinearPart dense(const std::string& name, size_t out, size_t in) {
    return {weights_.matrix(name + ".weight", out, in), weights_.vector(name + ".bias", out).data()};
  }
  LayerNorm norm(const std::string& name, size_t size) {
    return LayerNorm(weights_.vector(name + ".weight", size).data(), weights_.vector(name + ".bias", size).data(),
                     config_.layer_norm_eps);
  }

  std::optional<RelativePositions> relative_positions(const LayerPlace& place) {
    if (scheme_.bias) {
      const std::string name = std::string(family_.relative_bias) + ".weight";
      const auto rows = weights_.table(name, RelativePositions::kBuckets, config_.num_attention_heads);
      return RelativePositions(RelativePositions::Biases{rows.data()});
    }
    if (!scheme_.distances) return std::nullopt;
    const size_t positions = config_.max_position_embeddings;
    const auto rows =
        weights_.table(name_of(family_.distance_embedding, place) + ".weight", 2 * positions - 1, config_.head_dim());
    return RelativePositions(RelativePositions::Vectors{.rows = rows.data(),
                                                        .positions = positions,
                                                        .keys = scheme_.distances_keys,
                                                        .scaled = family_.scales_distances});
  }

  bool is_of_class(Head head) const {
    const auto ends_with = [&](std::string_view ending) {
      return !config_.architectures.empty() && config_.architectures[0].ends_with(ending);
    };
    switch (head) {
      case Head::kMaskedLm:
        return ends_with("ForMaskedLM") || ends_with("ForPreTraining");
      case Head::kSequenceClassification:
        return ends_with("ForSequenceClassification");
      case Head::kTokenClassification:
        return ends_with("ForTokenClassification");
      case Head::kQuestionAnswering:
        return ends_with("ForQuestionAnswering");
      case Head::kNextSentence:
        return ends_with("ForNextSentencePrediction") || ends_with("ForPreTraining");
      case Head::kMultipleChoice:
        return ends_with("ForMultipleChoice");
      case Head::kReplacedTokens:
        return ends_with("ForPreTraining");
    }
    return false;
  }

  size_t head_outputs(const HeadNames& names) const {
    switch (names.head) {
      case Head::kMaskedLm:
        return config_.vocab_size;
      case Head::kSequenceClassification:
      case Head::kTokenClassification:
        return config_.labels.size();
      case Head::kQuestionAnswering:
      case Head::kNextSentence:
        return 2;
      case Head::kMultipleChoice:
      case Head::kReplacedTokens:
        return 1;
    }
    return 0;
  }

  LinearPart head_output(const HeadNames& names, size_t width) {
    const std::string output(names.output);
    const std::string beside = output + ".bias";
    const std::string bias = names.output_bias.empty() ? beside : std::string(names.output_bias);
    const size_t outputs = head_outputs(names);
    if (names.head != Head::kMaskedLm) return dense(output, outputs, width);
    // Both biases are the same tensor to the reference; where a file has two, `bias` holds there.
    const float* chosen = weights_.vector(weights_.has(bias) ? bias : beside, outputs).data();
    if (bias != beside && weights_.has(bias) && weights_.has(beside) &&
        std::memcmp(chosen, weights_.vector(beside, outputs).data(), outputs * sizeof(float)) != 0) {
      weights_.notice("the tensors " + quote(bias) + " and " + quote(beside) + " differ: the first one is used");
    }
    if (!config_.tie_word_embeddings) return {weights_.matrix(output + ".weight", outputs, width), chosen};
    // Mostly a copy of the table; to find that out, both would have to be read whole.
    if (weights_.has(output + ".weight")) {
      weights_.notice("the tensor " + quote(output + ".weight") +
                      " is not used: tie_word_embeddings puts the word embeddings in its place");
    }
    return {word_, chosen};
  }

  const ModelConfig& config_;
  const Family& family_;
  WeightReader& weights_;
  const PositionScheme& scheme_;
  Activation activation_;
  WeightView word_;
};

namespace {

// Groups of equal size but for rounding: pass p belongs to group ⌊p / (passes / groups)⌋, the division not rounded.
size_t group_of(size_t pass, const ModelConfig& config) {
  return static_cast<size_t>(static_cast<double>(pass) / (static_cast<double>(config.num_hidden_layers) /
                                                          static_cast<double>(config.num_hidden_groups)));
}

}  // namespace

Encoder::Encoder(const ModelConfig& config, const Family& family, WeightReader& weights)
    : Encoder(config, family, LayerReader(config, family, weights)) {}

Encoder::Encoder(const ModelConfig& config, const Family& family, LayerReader reader)
    : embeddings_(reader.embeddings()) {
  const bool is_shared = config.num_hidden_groups > 0;
  const size_t groups = is_shared ? config.num_hidden_groups : config.num_hidden_layers;
  for (size_t group = 0; group < groups; ++group) {
    for (size_t inner = 0; inner < config.inner_group_num; ++inner) {
      layers_.push_back(reader.layer({.layer = group, .group = group, .inner = inner}));
    }
  }
  for (size_t pass = 0; pass < config.num_hidden_layers; ++pass) {
    const size_t group = is_shared ? group_of(pass, config) : pass;
    passes_.emplace_back();
    for (size_t inner = 0; inner < config.inner_group_num; ++inner) {
      passes_.back().push_back(group * config.inner_group_num + inner);
    }
  }
  pooler_ = reader.pooler();
  tensors_ = reader.used();
  for (const HeadNames& names : family.heads) {
    if (!reader.has_head(names)) continue;
    head_names_.push_back(names.head);
    head_inputs_.push_back(names.input);
    heads_.push_back(reader.head(names));
  }
}

void Encoder::forward(const RaggedBatch& batch, Execution& execution, ForwardObserver* observer) const {
  const MatrixView hidden = execution.workspace.hidden();
  embeddings_.forward(batch, hidden, execution);
  if (observer != nullptr) observer->hidden_state(0, hidden);
  size_t attentions = 0;
  for (size_t pass = 0; pass < passes_.size(); ++pass) {
    for (const size_t layer : passes_[pass]) {
      layers_[layer].attend(batch, hidden, execution);
      if (observer != nullptr) observer->attention(attentions++, layers_[layer].attention(), execution);
      layers_[layer].feed(hidden, execution);
    }
    if (observer != nullptr) observer->hidden_state(pass + 1, hidden);
  }
}

void Encoder::pool(const RaggedBatch& batch, MatrixView pooled, Execution& execution) const {
  pooler_->forward(batch, execution.workspace.hidden(), pooled, execution);
}

size_t Encoder::place_of(Head name) const {
  return static_cast<size_t>(std::find(head_names_.begin(), head_names_.end(), name) - head_names_.begin());
}

const PredictionHead& Encoder::head(Head name) const { return heads_[place_of(name)]; }

HeadInput Encoder::head_input(Head name) const { return head_inputs_[place_of(name)]; }

std::string_view name(Head head) {
  switch (head) {
    case Head::kMaskedLm:
      return "masked LM";
    case Head::kSequenceClassification:
      return "sequence classification";
    case Head::kTokenClassification:
      return "token classification";
    case Head::kQuestionAnswering:
      return "question answering";
    case Head::kNextSentence:
      return "next sentence";
    case Head::kMultipleChoice:
      return "multiple choice";
    case Head::kReplacedTokens:
      return "replaced tokens";
  }
  return "";
}

}  // namespace bert
