// The kinds of models, and a factory for them. Stateless; safe to call from many threads.
#pragma once

#include <memory>
#include <string_view>
#include <variant>

#include "tokenizer/model/bpe.h"
#include "tokenizer/model/subword_model.h"
#include "tokenizer/model/unigram.h"
#include "tokenizer/model/vocabulary.h"
#include "tokenizer/model/word_level.h"
#include "tokenizer/model/wordpiece.h"

namespace bert {

using ModelSettings = std::variant<WordPieceSettings, BpeSettings, UnigramSettings, WordLevelSettings>;

// Makes a model, which keeps a reference to the vocabulary. Throws Error(kInvalidFile), which names `source`; see each
// model.
std::unique_ptr<const SubwordModel> make_model(const Vocabulary& vocabulary, ModelSettings settings,
                                               std::string_view source);

}  // namespace bert
