// A late-interaction model's rules for texts, with its tokenizer: how a text becomes the tokens of a query or a
// document, and which of these have a vector. Immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bert/token_vectors.h"
#include "models/sentence/late_settings.h"

namespace bert {

class LateInteraction {
 public:
  // tokenizer: null if the model has none; then only ids can be embedded, and no word is skipped. max_length: the
  // model's limit. Throws Error(kInvalidFile) if the vocabulary lacks the expansion's token.
  LateInteraction(const LateSettings& settings, const Tokenizer* tokenizer, size_t max_length);

  RoleEncoding tokenize(const Tokenizer& tokenizer, std::string_view text, TextRole role,
                        const TokenizeOptions& options) const;
  // place: index of the token in its sequence.
  bool has_vector(int32_t id, size_t place, TextRole role) const;
  const RoleSettings& settings(TextRole role) const { return of(role).settings; }
  bool mean_score() const { return mean_score_; }
  // Messages for the user.
  const std::vector<std::string>& notices() const { return notices_; }

 private:
  struct Role {
    RoleSettings settings;
    std::optional<int32_t> marker;  // inserted after the first special tokens
    std::string prompt;             // the text after the marker
    bool skips_words = false;
  };

  Role read_role(const RoleTexts& texts, const Tokenizer* tokenizer, size_t max_length) const;
  const Role& of(TextRole role) const { return role == TextRole::kQuery ? query_ : document_; }

  Role query_;
  Role document_;
  int32_t expansion_id_ = 0;
  size_t first_ = 0;                  // number of special tokens before a text
  std::vector<int32_t> skipped_ids_;  // ascending
  std::vector<int32_t> kept_ids_;     // of documents, ascending; empty: all
  bool skips_first_ = false;
  bool mean_score_ = false;
  std::vector<std::string> notices_;
};

}  // namespace bert
