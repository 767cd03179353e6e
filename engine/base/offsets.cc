#include "bert/offsets.h"

#include <algorithm>

#include "engine/base/utf8.h"

namespace bert {
namespace {

constexpr size_t kBlockBytes = 64;

// Returns the units of the code points that begin here. In UTF-16 a code point of four bytes is two units.
size_t units_in(std::string_view text, OffsetUnit unit) {
  const size_t code_points = count_characters(text);
  if (unit == OffsetUnit::kCodePoints) return code_points;
  const auto is_long = [](char byte) { return static_cast<unsigned char>(byte) >= 0xF0; };
  return code_points + static_cast<size_t>(std::count_if(text.begin(), text.end(), is_long));
}

}  // namespace

std::string_view name(OffsetUnit unit) {
  switch (unit) {
    case OffsetUnit::kCodePoints:
      return "code_points";
    case OffsetUnit::kUtf16:
      return "utf16";
    case OffsetUnit::kBytes:
      break;
  }
  return "bytes";
}

OffsetUnits::OffsetUnits(std::string_view text, OffsetUnit unit) : text_(text), unit_(unit) {
  const auto is_ascii = [](char byte) { return static_cast<signed char>(byte) >= 0; };
  if (unit == OffsetUnit::kBytes || std::all_of(text.begin(), text.end(), is_ascii)) return;
  before_block_.reserve(text.size() / kBlockBytes + 1);
  size_t units = 0;
  for (size_t begin = 0; begin <= text.size(); begin += kBlockBytes) {
    before_block_.push_back(units);
    units += units_in(text.substr(begin, kBlockBytes), unit);
  }
}

size_t OffsetUnits::before(size_t position) const {
  if (before_block_.empty()) return position;
  const size_t block = position / kBlockBytes, begin = block * kBlockBytes;
  return before_block_[block] + units_in(text_.substr(begin, position - begin), unit_);
}

}  // namespace bert
