#include "tokenizer/model/word_level.h"

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {

WordLevel::WordLevel(const Vocabulary& vocabulary, const WordLevelSettings& settings, std::string_view source)
    : vocabulary_(vocabulary) {
  const auto id = vocabulary.id(settings.unknown_token);
  if (!id) {
    throw Error(ErrorCode::kInvalidFile, quote_path(source) + ": the unknown token " + quote(settings.unknown_token) +
                                             " is not in the vocabulary");
  }
  unknown_id_ = *id;
}

int32_t WordLevel::tokenize(std::string_view text, std::span<const TextRange> words, SubwordSink& tokens) const {
  int32_t word = 0;
  for (const TextRange range : words) {
    const auto id = vocabulary_.id(text.substr(range.begin, range.end - range.begin));
    tokens.push_back({id.value_or(unknown_id_), word++, range.begin, range.end});
  }
  return word;
}

}  // namespace bert
