// The windows of a text that is too long to be read with labels at once: whole words, each window a text of its own, so
// that what a model finds in it is what it finds in that part alone. Stateless.
#pragma once

#include <string_view>
#include <vector>

#include "tasks/labels/label_reader.h"

namespace bert {

struct LabelWindow {
  Offset place;       // in the text
  Encoding encoding;  // of that part, with its own offsets
};

// At least one; of a text that fits, the text. Adjacent windows share words of options.stride tokens, or a few more.
// Throws Error as reader.tokenize() does, and kInvalidArgument for more windows than options.max_windows and for a
// stride of more than half a window, which fits_stride makes half a window.
std::vector<LabelWindow> label_windows(const LabelReader& reader, const Tokenizer& tokenizer, std::string_view text,
                                       const PreparedLabels& labels, const TokenizeOptions& options,
                                       bool fits_stride = false);

}  // namespace bert
