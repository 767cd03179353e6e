// How a family with PieceMapping::composed prepares a text: tokenizer_config.json says whether letters become lower
// case (do_lower_case), each punctuation character stands alone (split_by_punct), and every text begins with a space
// (add_prefix_space). Source: transformers 5.23. Stateless; safe to call from many threads.
#pragma once

#include "engine/base/json_object.h"
#include "tokenizer/text_normalizer.h"
#include "tokenizer/word_splitter.h"

namespace bert {

// config: of tokenizer_config.json, or null.
TextNormalizer composed_normalizer(const JsonObject* config);
WordSplitter composed_splitter(const JsonObject* config);

}  // namespace bert
