// The normalizers of most uncased and cased vocabularies.
#pragma once

#include <optional>

#include "tokenizer/settings.h"

namespace bert::test {

inline const BertNormalizer kUncased = bert_normalizer(true, true, std::nullopt, true);
inline const BertNormalizer kCased = bert_normalizer(true, true, std::nullopt, false);

}  // namespace bert::test
