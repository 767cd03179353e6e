// Added and special tokens as the small files beside a vocabulary name them.
// Stateless; safe to call from many threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json_object.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/family.h"

namespace bert {

// An added token that a file lists, with the id it gives it; the vocabulary decides, and a difference is only told.
struct ListedToken {
  AddedToken token;
  std::optional<uint64_t> id;
};

// {"content": "[CLS]", "lstrip": false, ...}; without `normalized`, a special token is not normalized.
AddedToken read_added_token(const JsonObject& object, bool special_by_default);

// added_tokens_decoder of tokenizer_config.json: {"101": {"content": "[CLS]", ...}}, in the order of the ids.
std::vector<ListedToken> read_added_tokens_decoder(const JsonObject& config);

struct SpecialTokens {
  AddedToken unknown, separator, padding, classifier, mask;
  std::vector<AddedToken> additional;
  bool mask_takes_space = false;  // what is before it, in this family

  // What a family calls them, found in the raw text.
  static SpecialTokens of(const TokenizerFamily& family);

  // Takes over what the object names: unk_token, ..., additional_special_tokens.
  void read(const JsonObject& object);

  bool names(std::string_view content) const;
  std::vector<AddedToken> in_order() const;  // the order in which missing ones get ids
};

// added_tokens.json, {"[ENT]": 30522}, in the order of the ids; those that `special` names are special.
std::vector<ListedToken> read_added_tokens_file(const JsonObject& file, const SpecialTokens& special);

}  // namespace bert
