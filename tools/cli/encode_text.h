// How encode writes its results; the text form, for a person, is here too. Used by one thread.
#pragma once

#include <memory>

#include "bert/model.h"
#include "tools/cli/output.h"
#include "tools/cli/sequences.h"

namespace bert::cli {

class EncodeWriter {
 public:
  virtual ~EncodeWriter() = default;
  virtual void add(const Sequence& sequence) = 0;
  virtual void finish() {}
};

// A table of tokens (token, id, segment, norm, first values) and the pooled output; with hidden states a line a layer,
// with attentions their entropies. `titles`: each result under its number. An error is an empty line.
std::unique_ptr<EncodeWriter> make_text_encodings(Output& output, const Model& model, bool titles);

}  // namespace bert::cli
