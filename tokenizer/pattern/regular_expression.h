// A regular expression in Oniguruma's syntax, as in the reference. The library is loaded when the first expression is
// compiled, so only tokenizers with an expression need it. Immutable; any number of threads may use one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/normalizer/normalized_text.h"

namespace bert {

class RegularExpression {
 public:
  // where: the place in a file, for error messages. Throws Error: kInvalidFile if the expression is malformed,
  // kUnsupported if the library is missing or an escape is not supported.
  RegularExpression(std::string_view expression, std::string_view where);
  RegularExpression(const RegularExpression&) = delete;
  RegularExpression& operator=(const RegularExpression&) = delete;
  ~RegularExpression();

  const std::string& expression() const { return expression_; }

  // Returns the most steps that find() takes in a text of this many bytes. A step reads one character, or tries again
  // from an earlier one; each match counts as 64 more. About 300 million steps take a second. The characters that a
  // back reference compares are not counted.
  static constexpr size_t most_steps(size_t bytes) { return 100'000'000 + 200 * bytes; }
  static constexpr size_t kStepsPerQuestion = 1 << 16;

  // Appends the matches in a valid UTF-8 text, from left to right. Matches do not overlap, and no empty match begins
  // where another match ended. goes_on: called after every kStepsPerQuestion steps; must not throw. Throws Error:
  // kInvalidText with the byte where the search began that exceeds most_steps() or the library's own limit; kCancelled
  // when goes_on returns false.
  void find(std::string_view text, std::vector<TextRange>& matches, const std::function<bool()>& goes_on = {}) const;

 private:
  std::string expression_;
  void* compiled_ = nullptr;
};

}  // namespace bert
