#include "models/pipeline/document_windows.h"

#include <algorithm>
#include <string>

#include "bert/error.h"

namespace bert {

std::vector<std::string_view> document_windows(const Tokenizer& tokenizer, std::string_view text,
                                               const TokenizeOptions& options,
                                               const std::function<size_t(std::string_view)>& size_of) {
  const size_t limit = options.max_length;
  if (limit == 0 || size_of(text) <= limit) return {text};
  const size_t others = size_of("");
  // A part may have more tokens alone than inside the text.
  for (size_t room = limit > others ? limit - others : 0; room > options.stride;) {
    std::vector<std::string_view> parts;
    size_t most = 0;
    for (const Encoding& window : tokenizer.tokenize_windows(text, std::nullopt,
                                                             {.add_special_tokens = false,
                                                             .max_length = room,
                                                             .stride = options.stride,
                                                             .max_windows = options.max_windows})) {
      const size_t begin = window.offsets.front().begin, end = window.offsets.back().end;
      parts.push_back(text.substr(begin, end - begin));
      most = std::max(most, size_of(parts.back()));
    }
    if (most <= limit) return parts;
    room -= std::min(room, most - limit);
  }
  throw Error(ErrorCode::kInvalidArgument, "windows of " + std::to_string(limit) + " tokens (max_length) that share " +
                                               std::to_string(options.stride) + " have no room for text beside the " +
                                               std::to_string(others) + " other tokens");
}

}  // namespace bert
