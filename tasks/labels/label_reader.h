// What a model that reads labels has beside its encoder: what the encoder reads for a text and labels, and what its
// output says about them. Immutable; any number of threads may use one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/labels.h"
#include "bert/tokenizer.h"
#include "bert/vector_request.h"
#include "models/encoder/forward_pass.h"
#include "models/model/model_extension.h"
#include "tasks/labels/prepared_labels.h"

namespace bert {

class LabelReader : public ModelExtension {
 public:
  virtual bool can(LabelTask task) const = 0;

  // What the labels' own encoder gives for a label; nullopt: labels stand beside the text.
  virtual std::optional<PoolingMode> label_pooling() const = 0;

  // The encoder's input: the text, with the labels if they stand beside it. offsets are in the text, and word_ids are
  // kNoWord for what is not the text's. Throws Error: invalid UTF-8, labels that leave no room for the text.
  virtual Encoding tokenize(const Tokenizer& tokenizer, std::string_view text, const PreparedLabels& labels,
                            const TokenizeOptions& options) const = 0;

  // Where a text may be divided, and the most words of a text that are read.
  virtual std::vector<Offset> words(std::string_view text) const = 0;
  virtual size_t max_words() const { return SIZE_MAX; }

  // Runs the pass, which is of the sequences of these encodings and texts, and gives the result of each text.
  // label_vectors: by the labels' encoder, if there is one. Throws Error(kNonFinite).
  virtual void run(ForwardPass& pass, std::span<const Encoding* const> encodings,
                   std::span<const std::string_view> texts, const PreparedLabels& labels, ConstMatrixView label_vectors,
                   const LabelResultSink& give) const = 0;
};

}  // namespace bert
