// The bytes of an input's lines as UTF-8: --encoding says what they are, --invalid what becomes of bytes that no
// character has. Used by one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace bert::cli {

enum class TextEncoding { kUtf8, kLatin1, kWindows1252 };
enum class InvalidBytes { kFail, kReplace, kSkip };

class TextDecoder {
 public:
  TextDecoder(TextEncoding encoding, InvalidBytes invalid) : encoding_(encoding), invalid_(invalid) {}

  // Converts the line in place. kReplace: each invalid byte, or incomplete character, becomes U+FFFD; kSkip: none.
  // kFail: invalid UTF-8 stays, which the text's reader reports; of another encoding the problem is returned.
  std::optional<std::string> decode(std::string& line);

  size_t changed_lines() const { return changed_lines_; }  // with bytes that were replaced or left out

 private:
  std::string from_utf8(const std::string& line, bool& changed) const;
  std::string from_single_bytes(const std::string& line, std::optional<size_t>& first_invalid) const;
  void append_invalid(std::string& text) const;

  TextEncoding encoding_;
  InvalidBytes invalid_;
  size_t changed_lines_ = 0;
};

}  // namespace bert::cli
