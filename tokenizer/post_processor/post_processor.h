// The post-processor: the model's template around text and pair ([CLS] A [SEP] B [SEP]), and padding.
// Immutable data and stateless functions; any number of threads may use them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bert/tokenizer.h"
#include "tokenizer/family.h"
#include "tokenizer/token_list.h"

namespace bert {

struct TemplatePiece {
  enum class Kind : uint8_t { kText, kPair, kToken };
  Kind kind;
  int32_t type_id;
  int32_t id = 0;  // for kToken
  bool operator==(const TemplatePiece&) const = default;
};

// Trims white space from both ends of spans (tokenizer/model/byte_level.h).
struct SpanTrimming {
  bool add_prefix_space = true;  // the first space of a sequence may be inserted
};

// The pieces in the order of the result. Each list has the text once; `pair` also has the pair once.
struct PostProcessor {
  std::vector<TemplatePiece> single = {{TemplatePiece::Kind::kText, 0}};
  std::vector<TemplatePiece> pair = {{TemplatePiece::Kind::kText, 0}, {TemplatePiece::Kind::kPair, 1}};
  std::optional<SpanTrimming> trimming;  // done by the caller, which has the texts

  size_t added_tokens(bool with_pair) const;
  PostProcessor without_special_tokens() const;
  PostProcessor without_segments() const;  // makes all tokens type 0

  // Makes an encoding with only ids, as TokenizeOptions::only_ids describes.
  Encoding assemble(const TokenColumns& text, const std::optional<TokenColumns>& second, bool add_special_tokens) const;
};

PostProcessor family_template(TemplateKind kind, int32_t classifier, int32_t separator);

struct PadToken {
  int32_t id = 0;
  int32_t type_id = 0;
};

// Returns the padded length of a result of `size` tokens. Throws Error if it is too large for memory.
size_t padded_length(const Padding& padding, size_t size);

// Pads an encoding to `length`. only_ids: the encoding has only ids.
void pad(Encoding& encoding, size_t length, Direction direction, const PadToken& token, bool only_ids = false);

}  // namespace bert
