// The parts of a GLiNER model beside its encoder: finds the entities of a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tasks/labels/gliner/gliner_layers.h"
#include "tasks/labels/label_reader.h"

namespace bert {

class Gliner : public LabelReader {
 public:
  // weights: of the file of the encoder, which has this configuration.
  Gliner(GlinerSettings settings, const ModelConfig& config, const Tokenizer& tokenizer, WeightReader& weights);

  bool can(LabelTask task) const override { return task == LabelTask::kEntities; }
  std::string description() const override;
  std::string config_file() const override { return kGlinerConfig; }
  std::optional<PoolingMode> label_pooling() const override {
    return encodes_labels() ? std::optional(PoolingMode::kMean) : std::nullopt;
  }

  // word_ids count the words as the encoder's input has them. Words beyond the model's limit are dropped, and
  // truncated_tokens counts each as one token.
  Encoding tokenize(const Tokenizer& tokenizer, std::string_view text, const PreparedLabels& labels,
                    const TokenizeOptions& options) const override;
  std::vector<Offset> words(std::string_view text) const override;
  size_t max_words() const override { return settings_.max_words; }

  void run(ForwardPass& pass, std::span<const Encoding* const> encodings, std::span<const std::string_view> texts,
           const PreparedLabels& labels, ConstMatrixView label_vectors, const LabelResultSink& sink) const override;

 private:
  bool encodes_labels() const { return settings_.labels.has_value(); }
  std::vector<size_t> label_rows(const Encoding& encoding, size_t labels) const;
  void gather_words(const Encoding& encoding, ConstMatrixView tokens, MatrixView words) const;

  GlinerSettings settings_;
  int32_t label_token_id_;
  GlinerLayers layers_;
};

}  // namespace bert
