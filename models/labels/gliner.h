// A GLiNER model beside its encoder: what the encoder reads for a text and labels, and the entities that its output
// gives. Immutable; any number of threads may use one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/labels.h"
#include "bert/tokenizer.h"
#include "models/encoder/forward_pass.h"
#include "models/labels/gliner_layers.h"

namespace bert {

class Gliner {
 public:
  // weights: of the file of the encoder with this configuration.
  Gliner(GlinerSettings settings, const ModelConfig& config, const Tokenizer& tokenizer, WeightReader& weights);

  // Whether labels have an encoder of their own.
  bool encodes_labels() const { return settings_.labels.has_value(); }

  // In words: "spans of up to 12 of 384 words (markerV0), labels before the text".
  std::string description() const;

  // The labels, if they stand before it, and the words of the text: its word_ids count the words, as the encoder's
  // input has them, and are kNoWord for what is not the text's. offsets are in the text. Words after the model's limit
  // are not there, and count in truncated_tokens as a token each. Throws Error: invalid UTF-8, labels that leave no
  // room for the text.
  Encoding tokenize(const Tokenizer& tokenizer, std::string_view text, const LabelRequest& request,
                    const TokenizeOptions& options) const;

  // pass: after run(), of the sequences of these encodings and texts;  label_vectors: by the labels' encoder, if there
  // is one. Throws Error(kNonFinite).
  std::vector<std::vector<Entity>> entities(ForwardPass& pass, std::span<const Encoding* const> encodings,
                                            std::span<const std::string_view> texts, const LabelRequest& request,
                                            ConstMatrixView label_vectors) const;

 private:
  std::vector<size_t> label_rows(const Encoding& encoding, size_t labels) const;
  void gather_words(const Encoding& encoding, ConstMatrixView tokens, MatrixView words) const;

  GlinerSettings settings_;
  int32_t label_token_id_;
  GlinerLayers layers_;
};

}  // namespace bert
