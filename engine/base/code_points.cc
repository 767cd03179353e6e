#include "engine/base/code_points.h"

#include <algorithm>

#include "engine/base/utf8.h"

namespace bert {
namespace {

// A lookup counts the bytes of at most one block, so its time does not depend on the text's length.
constexpr size_t kBlockBytes = 64;

}  // namespace

CodePoints::CodePoints(std::string_view text) : text_(text) {
  if (std::none_of(text.begin(), text.end(), [](char byte) { return static_cast<signed char>(byte) < 0; })) return;
  before_block_.reserve(text.size() / kBlockBytes + 1);
  size_t count = 0;
  for (size_t begin = 0; begin <= text.size(); begin += kBlockBytes) {
    before_block_.push_back(count);
    count += count_characters(text.substr(begin, kBlockBytes));
  }
}

size_t CodePoints::before(size_t position) const {
  if (before_block_.empty()) return position;
  const size_t block = position / kBlockBytes, begin = block * kBlockBytes;
  return before_block_[block] + count_characters(text_.substr(begin, position - begin));
}

}  // namespace bert
