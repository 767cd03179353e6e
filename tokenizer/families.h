// What tells one family's tokenizer from another's, as data; no other file here names a family.
#pragma once

#include <string_view>

namespace bert {

// The component of tokenizer.json that puts <s> A </s> </s> B </s> around texts.
extern const std::string_view kDoubleSeparatorProcessing;

}  // namespace bert
