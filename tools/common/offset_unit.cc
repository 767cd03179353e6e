#include "tools/common/offset_unit.h"

#include <algorithm>

namespace bert::common {
namespace {

constexpr size_t kBlock = 256;  // bytes

size_t units_in(std::string_view text, OffsetUnit unit) {
  size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += (byte & 0xC0) != 0x80;                       // each byte that begins a code point
    units += unit == OffsetUnit::kUtf16 && byte >= 0xF0;  // a pair of surrogates
  }
  return units;
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
  if (unit == OffsetUnit::kBytes) return;
  blocks_.reserve(text.size() / kBlock + 1);
  size_t units = 0;
  for (size_t begin = 0; begin <= text.size(); begin += kBlock) {
    blocks_.push_back(units);
    units += units_in(text.substr(begin, kBlock), unit);
  }
}

size_t OffsetUnits::before(size_t byte) const {
  if (unit_ == OffsetUnit::kBytes) return byte;
  const size_t end = std::min(byte, text_.size()), block = end / kBlock;
  return blocks_[block] + units_in(text_.substr(block * kBlock, end - block * kBlock), unit_);
}

}  // namespace bert::common
