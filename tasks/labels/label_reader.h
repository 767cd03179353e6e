// The parts of a model that reads labels, beside its encoder: they make the encoder's input from a text and labels, and
// interpret its output. Immutable; any number of threads may use one.
#pragma once

#include <cstdint>
#include <span>
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

  // Returns the pooling of the labels' own encoder; nullopt: labels are read with the text.
  virtual std::optional<PoolingMode> label_pooling() const = 0;

  // Returns the encoder's input: the text, and the labels if they are read with it. offsets are places in the text;
  // word_ids are kNoWord for tokens outside of the text. Throws Error for invalid UTF-8, and for labels that leave no
  // room for the text.
  virtual Encoding tokenize(const Tokenizer& tokenizer, std::string_view text, const PreparedLabels& labels,
                            const TokenizeOptions& options) const = 0;

  // words(): the places at which a text may be divided. max_words(): the most words of a text that are read.
  virtual std::vector<Offset> words(std::string_view text) const = 0;
  virtual size_t max_words() const { return SIZE_MAX; }

  // Runs the pass, whose sequences are these encodings of these texts, and passes the result of each text to `sink`.
  // label_vectors: of the labels' own encoder, if there is one. Throws Error(kNonFinite).
  virtual void run(ForwardPass& pass, std::span<const Encoding* const> encodings,
                   std::span<const std::string_view> texts, const PreparedLabels& labels, ConstMatrixView label_vectors,
                   const LabelResultSink& sink) const = 0;
};

}  // namespace bert
