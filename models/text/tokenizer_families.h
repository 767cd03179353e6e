// The tokenizers of all families, for the tokenizer's loader. Stateless; safe to call from many threads.
#pragma once

#include "tokenizer/family.h"

namespace bert {

TokenizerFamilies tokenizer_families();

}  // namespace bert
