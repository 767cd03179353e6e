#include "models/encoder/head_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "engine/base/quote.h"
#include "models/config/activations.h"
#include "models/config/parameter_reader.h"

namespace bert {
namespace {

class HeadReader {
 public:
  HeadReader(const ModelConfig& config, const Family& family, const WeightView& word_embeddings,
             std::string_view word_table, WeightReader& weights)
      : config_(config),
        family_(family),
        word_embeddings_(word_embeddings),
        word_table_(word_table),
        weights_(weights),
        parameters_(weights, config.layer_norm_eps, true) {}

  // Returns whether the checkpoint has the head. If heads share tensor names, the model's class in config.json decides.
  // Without a class, every head with these names and a matching number of outputs exists.
  bool has(const HeadNames& names) const {
    const bool is_tied = names.head == Head::kMaskedLm && config_.tie_word_embeddings;
    if (!weights_.has(std::string(names.dense.empty() ? names.output : names.dense) + ".weight")) {
      return is_tied && names.dense.empty() && is_of_class(names.head);  // a tied output layer has no weight of its own
    }
    if (!is_tied && !weights_.has(std::string(names.output) + ".weight")) return false;
    if (!shares_tensors(names) || is_of_class(names.head)) return true;
    return has_no_class() && weights_.rows(std::string(names.output) + ".weight") == outputs(names.head);
  }

  bool has_no_class() const { return config_.architectures.empty(); }

  bool shares_tensors(const HeadNames& names) const {
    const auto of_tensor = [&](std::string_view HeadNames::*name) {
      return std::count_if(family_.heads.begin(), family_.heads.end(), [&](const HeadNames& other) {
        return !(names.*name).empty() && other.*name == names.*name;
      });
    };
    const bool is_tied = names.head == Head::kMaskedLm && config_.tie_word_embeddings;
    return of_tensor(&HeadNames::output) > 1 || (is_tied && of_tensor(&HeadNames::dense) > 1);
  }

  HeadSpec read(const HeadNames& names) {
    const bool is_masked = names.head == Head::kMaskedLm;
    const size_t usual = is_masked ? config_.embedding_width() : config_.hidden_size;
    const size_t outs = is_masked && config_.prediction_head_size > 0 ? config_.prediction_head_size : usual;
    const size_t width = names.second_dense.empty() ? outs : usual;  // inputs of the output layer
    PredictionHead head;
    head.output.parts = {output(names, width)};
    if (!names.dense.empty()) {
      const LinearPart first =
          parameters_.dense(names.dense, outs, config_.hidden_size, has_bias(names.dense_bias, config_));
      head.dense.push_back(Linear{{first}, activation(names)});
      if (!names.second_dense.empty()) {
        head.dense.push_back(Linear{{parameters_.dense(names.second_dense, width, outs, false)}, activation(names)});
      }
    }
    if (!names.norm.empty()) {
      const NormKind kind = family_.norm == NormKind::kNone ? names.norm_kind : family_.norm;
      head.norm = parameters_.norm(names.norm, width, kind, has_bias(family_.norm_bias, config_));
    }
    return {names.head, input(names), std::move(head)};
  }

 private:
  Activation activation(const HeadNames& names) const {
    if (names.activation) return *names.activation;
    const bool has_own = !config_.classifier_activation.empty();
    return *find_activation(has_own ? config_.classifier_activation : config_.hidden_act);
  }

  HeadInput input(const HeadNames& names) const {
    if (names.input != HeadInput::kClassifierPooling) return names.input;
    switch (config_.classifier_pooling) {
      case ClassifierPooling::kMean:
        return HeadInput::kMeanToken;
      case ClassifierPooling::kLate:
        return HeadInput::kMeanOfOutputs;
      case ClassifierPooling::kFirst:
        break;
    }
    return HeadInput::kFirstToken;
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

  size_t outputs(Head head) const {
    switch (head) {
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

  LinearPart output(const HeadNames& names, size_t width) {
    const size_t outs = outputs(names.head);
    const bool biased = has_bias(names.output_has_bias, config_);
    if (names.head != Head::kMaskedLm) return parameters_.dense(names.output, outs, width, biased);
    const std::string weight = std::string(names.output) + ".weight";
    const float* bias = biased ? decoder_bias(names, outs) : nullptr;
    if (!names.more_columns.empty()) return {widened(names, width), bias};
    if (!weights_.has(weight)) {
      return {weights_.product_weights(weights_.tied(names.output, word_table_, word_embeddings_)), bias};
    }
    const WeightView stored = weights_.matrix(weight, outs, width, WeightRole::kHead);
    const bool is_changed = weights_.is_changed(names.output) || weights_.is_changed(word_table_);
    if (config_.tie_word_embeddings && !is_changed && differ(stored, word_embeddings_)) {
      weights_.notice("the tensor " + quote(weight) +
                      " differs from the word embeddings and is used, as in transformers 5; tie_word_embeddings of "
                      "config.json put them in its place before");
    }
    return {stored, bias};
  }

  // Returns a table with the columns of the word table and, after them, additional ones, which the file stores as rows.
  WeightView widened(const HeadNames& names, size_t width) {
    const size_t words = word_embeddings_.rows, first = word_embeddings_.cols;
    const std::span<const float> more =
        weights_.floats(std::string(names.more_columns) + ".weight", width - first, words, WeightRole::kHead);
    std::vector<float> rows(words * width);
    for (size_t word = 0; word < words; ++word) {
      kernels_for({}).copy_row(&rows[word * width], word_embeddings_.row(word), first);
      for (size_t i = first; i < width; ++i) rows[word * width + i] = more[(i - first) * words + word];
    }
    return {.data = weights_.keep(rows).data(), .rows = words, .cols = width};
  }

  // Returns whether two tables differ, for a notice. Usually one is a copy of the other, so only some rows are
  // compared. Integers are not quantised yet.
  static bool differ(const WeightView& a, const WeightView& b) {
    constexpr size_t kRows = 64;
    if (a.format != b.format || a.scales != nullptr) return false;
    const size_t compared = std::min(kRows, a.rows);
    for (size_t i = 0; i < compared; ++i) {
      const size_t row = i * a.rows / compared;
      if (std::memcmp(a.row(row).data, b.row(row).data, a.cols * element_bytes(a.format)) != 0) return true;
    }
    return false;
  }

  // Returns the decoder's bias. A file may have it under two names; the reference then uses the one next to the weight.
  const float* decoder_bias(const HeadNames& names, size_t outs) {
    const std::string beside = std::string(names.output) + ".bias";
    const std::string apart(names.output_bias);
    const auto read = [&](const std::string& name) { return weights_.vector(name, outs, WeightRole::kHead).data(); };
    if (apart.empty()) return read(beside);
    if (!weights_.has(apart) && !weights_.has(beside)) {
      weights_.refuse_missing(quote(beside) + " or " + quote(apart), std::array{outs});
    }
    if (!weights_.has(apart)) return read(beside);
    if (!weights_.has(beside)) return read(apart);
    const float* chosen = read(beside);
    if (std::memcmp(chosen, read(apart), outs * sizeof(float)) != 0) {
      weights_.notice("the tensors " + quote(beside) + " and " + quote(apart) + " differ: the first one is used");
    }
    return chosen;
  }

  const ModelConfig& config_;
  const Family& family_;
  const WeightView& word_embeddings_;
  std::string_view word_table_;
  WeightReader& weights_;
  ParameterReader parameters_;
};

}  // namespace

std::vector<HeadSpec> read_heads(const ModelConfig& config, const Family& family, const WeightView& word_embeddings,
                                 std::string_view word_table, WeightReader& weights) {
  HeadReader reader(config, family, word_embeddings, word_table, weights);
  std::vector<HeadSpec> heads;
  for (const HeadNames& names : family.heads) {
    if (!reader.has(names)) continue;
    const auto same = [&](const HeadSpec& other) { return other.head == names.head; };
    if (std::any_of(heads.begin(), heads.end(), same)) {
      weights.notice("the tensors of " + quote(names.dense) + " are not used: the file has another head for " +
                     std::string(name(names.head)));
      continue;
    }
    if (reader.has_no_class() && reader.shares_tensors(names)) {
      weights.notice("config.json names no class of model (architectures): the tensors of " + quote(names.output) +
                     " are read as a head for " + std::string(name(names.head)));
    }
    heads.push_back(reader.read(names));
  }
  return heads;
}

}  // namespace bert
