// Places in a result's texts. Without --offsets they are in UTF-8 bytes, and also in code points; with --offsets they
// are in one unit, which the result names.
#pragma once

#include <string>
#include <vector>

#include "bert/offsets.h"
#include "bert/tokenizer.h"
#include "program/cli/common.h"

namespace bert::cli {

// The units of a text and its pair, which it owns: only the first window of a text has the text.
class TextUnits {
 public:
  TextUnits(std::string text, std::string pair, OffsetUnit unit);
  // For words that the caller divided: a token's offsets are relative to its word.
  TextUnits(std::vector<std::string> words, OffsetUnit unit);
  TextUnits(const TextUnits&) = delete;
  TextUnits& operator=(const TextUnits&) = delete;

  OffsetUnit unit() const { return unit_; }
  const OffsetUnits& of_text() const { return text_units_; }
  const OffsetUnits& of_pair() const { return pair_units_; }
  // Returns the tokens' offsets; [0, 0] for special tokens.
  std::vector<Offset> offsets(const Encoding& encoding) const;

 private:
  const OffsetUnits& of_token(const Encoding& encoding, size_t token) const;

  const std::string text_, pair_;
  const std::vector<std::string> words_;
  const OffsetUnit unit_;
  const OffsetUnits text_units_, pair_units_;
  std::vector<OffsetUnits> word_units_;
};

// Returns the place of a byte in these units; null: in bytes.
std::string place_text(size_t byte, const OffsetUnits* units);

// Adds the members "start" and "end" of a span; without units also "code_point_start" and "code_point_end".
void add_place(JsonWriter& object, const Offset& bytes, const Offset& code_points, const OffsetUnits* units);

}  // namespace bert::cli
