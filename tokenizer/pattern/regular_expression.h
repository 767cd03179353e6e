// A regular expression in Oniguruma's syntax, which is the reference's. The library is loaded when the first expression
// is compiled, so that only tokenizers that have one need it. Immutable; any number of threads may use one.
#pragma once

#include <cstddef>
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

  // Appends the matches in a valid UTF-8 text, from left to right: none overlaps another, and none that is empty begins
  // where another ended. Throws Error(kInvalidText) with the byte where a search that exceeds the library's limit
  // began.
  void find(std::string_view text, std::vector<TextRange>& matches) const;

 private:
  std::string expression_;
  void* compiled_ = nullptr;
};

}  // namespace bert
