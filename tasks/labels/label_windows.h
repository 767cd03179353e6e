// Divides a text that is too long to be read with labels at once into windows of whole words. A window is read as a
// text, so the model finds in it what it would find in that part alone. Stateless.
#pragma once

#include <string_view>
#include <vector>

#include "tasks/labels/label_reader.h"

namespace bert {

struct LabelWindow {
  Offset place;       // place in the text
  Encoding encoding;  // of the window's text, with offsets in it
};

// Returns at least one window; for a text that fits, the whole text. Adjacent windows share words of options.stride
// tokens, or a few more. Throws Error as reader.tokenize() does, and kInvalidArgument for more windows than
// options.max_windows and for a stride of more than half a window; fits_stride reduces such a stride to half a window.
std::vector<LabelWindow> label_windows(const LabelReader& reader, const Tokenizer& tokenizer, std::string_view text,
                                       const PreparedLabels& labels, const TokenizeOptions& options,
                                       bool fits_stride = false);

}  // namespace bert
