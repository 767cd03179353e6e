// Converts the lines of an input to UTF-8. --encoding names their encoding; --invalid says what happens to bytes that
// are not a character in that encoding. Used by one thread.
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

  // Converts the line to UTF-8 in place. Invalid bytes become U+FFFD (kReplace), one for each longest beginning of a
  // character, or are removed (kSkip). With kFail an invalid UTF-8 line is left as it is, without an error, so the
  // reader of the text must check it; in another encoding the first invalid byte is an error. Returns that error for
  // the user, and the line is then unusable; nullopt: no error.
  std::optional<std::string> decode(std::string& line);

  // Returns how many lines had bytes replaced or removed; 0 with kFail.
  size_t changed_lines() const { return changed_lines_; }

 private:
  std::string from_utf8(const std::string& line, bool& changed) const;
  std::string from_single_bytes(const std::string& line, std::optional<size_t>& first_invalid) const;
  void append_invalid(std::string& text) const;

  TextEncoding encoding_;
  InvalidBytes invalid_;
  size_t changed_lines_ = 0;
};

}  // namespace bert::cli
