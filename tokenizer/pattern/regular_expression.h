// A regular expression in Oniguruma's syntax, which is the reference's. The library is loaded when the first expression
// is compiled, so that only tokenizers that have one need it. Immutable; any number of threads may use one.
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

  // The work that find() does at most in a text of so many bytes. A step looks at one character, or tries again from an
  // earlier one; each match counts as 64 more. Some 300 million steps take a second. What a back reference compares is
  // not counted.
  static constexpr size_t most_steps(size_t bytes) { return 100'000'000 + 200 * bytes; }
  static constexpr size_t kStepsPerQuestion = 1 << 16;

  // Appends the matches in a valid UTF-8 text, from left to right: none overlaps another, and none that is empty begins
  // where another ended. goes_on: asked after every kStepsPerQuestion steps, and throws nothing. Throws Error:
  // kInvalidText with the byte where the search began that exceeds most_steps() or the library's own limit; kCancelled
  // when goes_on says no.
  void find(std::string_view text, std::vector<TextRange>& matches, const std::function<bool()>& goes_on = {}) const;

 private:
  std::string expression_;
  void* compiled_ = nullptr;
};

}  // namespace bert
