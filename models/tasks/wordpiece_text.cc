#include "models/tasks/wordpiece_text.h"

namespace bert {

bool has_word_pieces(const Tokenizer& tokenizer) { return tokenizer.id("##s").has_value(); }

}  // namespace bert
