// Writes the results of encode; here the text form, for people. Used by one thread.
#pragma once

#include <memory>

#include "bert/model.h"
#include "program/cli/input/sequences.h"
#include "program/cli/output/output.h"

namespace bert::cli {

class EncodeWriter {
 public:
  virtual ~EncodeWriter() = default;
  virtual void add(const Sequence& sequence) = 0;
  virtual void finish() {}
};

// Writes a table of tokens (token, id, segment, norm, first values) and the pooled output; hidden states add a line per
// layer, attentions their entropies, contacts the most probable ones. titles: write a number above each result. An
// error is an empty line.
std::unique_ptr<EncodeWriter> make_text_encodings(Output& output, const Model& model, bool titles);

}  // namespace bert::cli
