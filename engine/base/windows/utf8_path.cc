#include "engine/base/utf8_path.h"

#include "bert/error.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"

namespace bert {

std::filesystem::path path_of(std::string_view text) {
  if (find_invalid_utf8(text)) {
    throw Error(ErrorCode::kInvalidArgument, quote_path(text) + ": the name is not UTF-8, expected UTF-8");
  }
  return std::u8string(text.begin(), text.end());
}

}  // namespace bert
