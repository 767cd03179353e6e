// Windows of a text that is inside a sequence: a document beside a query in a chat, or between the markers of a
// late-interaction model. Stateless.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "bert/tokenizer.h"

namespace bert {

// Returns the text, or parts of it, in order, that share options.stride tokens and whose sequences have at most
// options.max_length tokens; 0: no limit. size_of: returns the tokens of the sequence around a part. Throws
// Error(kInvalidArgument) if there is no room, and for more than options.max_windows parts.
std::vector<std::string_view> document_windows(const Tokenizer& tokenizer, std::string_view text,
                                               const TokenizeOptions& options,
                                               const std::function<size_t(std::string_view)>& size_of);

}  // namespace bert
