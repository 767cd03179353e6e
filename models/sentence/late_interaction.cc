#include "models/sentence/late_interaction.h"

#include <algorithm>

#include "engine/base/quote.h"

namespace bert {
namespace {

template <class Value>
void insert_value(std::vector<Value>& values, size_t at, size_t count, const Value& value) {
  values.insert(values.begin() + static_cast<std::ptrdiff_t>(at), count, value);
}

// Inserts special tokens, which belong to no word. only_ids: the encoding has no offsets and words (TokenizeOptions).
void insert_tokens(Encoding& encoding, size_t at, size_t count, int32_t id, bool only_ids) {
  const bool has_code_points = !encoding.code_point_offsets.empty();
  insert_value(encoding.ids, at, count, id);
  insert_value(encoding.type_ids, at, count, int32_t{0});
  insert_value(encoding.attention_mask, at, count, uint8_t{1});
  insert_value(encoding.special_tokens_mask, at, count, uint8_t{1});
  if (only_ids) return;
  insert_value(encoding.offsets, at, count, Offset{});
  if (has_code_points) insert_value(encoding.code_point_offsets, at, count, Offset{});
  insert_value(encoding.word_ids, at, count, kNoWord);
  insert_value(encoding.sequence_ids, at, count, kNoSequence);
}

// Returns the number of special tokens that the template puts before a text.
size_t tokens_before_text(const Tokenizer& tokenizer) {
  const std::vector<uint8_t> special = tokenizer.tokenize("a").special_tokens_mask;
  return static_cast<size_t>(std::find(special.begin(), special.end(), 0) - special.begin());
}

}  // namespace

std::string_view name(TextRole role) { return role == TextRole::kQuery ? "query" : "document"; }

std::span<const std::string_view> prompt_names(TextRole role) {
  static constexpr std::string_view kQuery[] = {"query"};
  static constexpr std::string_view kDocument[] = {"document", "passage", "corpus"};
  return role == TextRole::kQuery ? std::span<const std::string_view>(kQuery) : kDocument;
}

LateInteraction::LateInteraction(const LateSettings& settings, const Tokenizer* tokenizer, size_t max_length)
    : query_(read_role(settings.query, tokenizer, max_length)),
      document_(read_role(settings.document, tokenizer, max_length)),
      kept_ids_(settings.kept_ids),
      skips_first_(settings.skips_first),
      mean_score_(settings.mean_score) {
  std::sort(kept_ids_.begin(), kept_ids_.end());
  if (tokenizer != nullptr) first_ = tokens_before_text(*tokenizer);
  for (Role* role : {&query_, &document_}) {
    if (role->skips_words) role->settings.skipped_words = settings.skipped_words;
  }
  std::string unknown;
  for (const std::string& word : settings.skipped_words) {
    const std::optional<int32_t> id = tokenizer == nullptr ? std::nullopt : tokenizer->id(word);
    if (id) {
      skipped_ids_.push_back(*id);
    } else {
      unknown.append(unknown.empty() ? "" : " ").append(quote(word, 20));
    }
  }
  std::sort(skipped_ids_.begin(), skipped_ids_.end());
  if (!unknown.empty() && tokenizer != nullptr) {
    notices_.push_back("words that have no vector, as the model's files say, are no tokens of its vocabulary: " +
                       unknown);
  }
  if (!settings.expansion) return;
  const QueryExpansion& expansion = *settings.expansion;
  query_.settings.expanded_length = std::min(expansion.length, max_length);
  query_.settings.attends_expansion = expansion.attended;
  if (expansion.fixed) {
    query_.settings.max_length = query_.settings.expanded_length;
  } else {
    query_.settings.max_length = std::max(query_.settings.max_length, query_.settings.expanded_length);
  }
  if (tokenizer == nullptr) return;
  const std::optional<int32_t> id = expansion.token ? tokenizer->id(*expansion.token) : tokenizer->mask_id();
  if (!id) {
    throw Error(ErrorCode::kInvalidFile, "the token that fills queries, " +
                                             (expansion.token ? quote(*expansion.token, 40) : "the mask") +
                                             ", is not in the vocabulary, expected one that is");
  }
  expansion_id_ = *id;
}

LateInteraction::Role LateInteraction::read_role(const RoleTexts& texts, const Tokenizer* tokenizer,
                                                 size_t max_length) const {
  Role role;
  role.settings.prompt = texts.prompt;
  role.settings.max_length = std::min(texts.max_length.value_or(max_length), max_length);
  role.skips_words = texts.skips_words;
  role.prompt = texts.prompt;
  if (texts.marker.empty() || tokenizer == nullptr || !texts.prompt.starts_with(texts.marker)) return role;
  // The marker is the whole string if it is a token, else its first word: "[Q] " is a token of PyLate's vocabularies,
  // "[unused0]" one of BERT's.
  const std::string word = texts.marker.substr(0, texts.marker.find(' '));
  for (const std::string& token : {texts.marker, word}) {
    role.marker = token.empty() ? std::nullopt : tokenizer->id(token);
    if (!role.marker) continue;
    role.prompt.erase(0, token.size());
    break;
  }
  return role;
}

RoleEncoding LateInteraction::tokenize(const Tokenizer& tokenizer, std::string_view text, TextRole role,
                                       const TokenizeOptions& options) const {
  const Role& rules = of(role);
  TokenizeOptions limited = options;
  if (limited.max_length == 0 || limited.max_length > rules.settings.max_length) {
    limited.max_length = rules.settings.max_length;
  }
  if (rules.marker) {
    const size_t least = tokenizer.added_special_tokens(false) + 1;
    if (limited.max_length < least) {
      throw Error(ErrorCode::kInvalidArgument, "at most " + std::to_string(limited.max_length) + " tokens of a " +
                                                   std::string(name(role)) + ", expected at least " +
                                                   std::to_string(least) + ": its special tokens");
    }
    --limited.max_length;
  }
  RoleEncoding result{tokenizer.tokenize(std::string(rules.prompt).append(text), limited)};
  if (rules.marker)
    insert_tokens(result.encoding, std::min(first_, result.encoding.size()), 1, *rules.marker, options.only_ids);
  const size_t length = rules.settings.expanded_length;
  if (result.encoding.size() < length) {
    result.expansion = length - result.encoding.size();
    insert_tokens(result.encoding, result.encoding.size(), result.expansion, expansion_id_, options.only_ids);
    if (!rules.settings.attends_expansion) result.unattended = result.expansion;
  }
  return result;
}

bool LateInteraction::has_vector(int32_t id, size_t place, TextRole role) const {
  if (skips_first_ && place == 0) return false;
  if (of(role).skips_words && std::binary_search(skipped_ids_.begin(), skipped_ids_.end(), id)) return false;
  return role == TextRole::kQuery || kept_ids_.empty() || std::binary_search(kept_ids_.begin(), kept_ids_.end(), id);
}

}  // namespace bert
