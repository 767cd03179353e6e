#include "tokenizer/model/string_table.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace bert {

void StringTable::reset(size_t count) {
  // At most two thirds full, so that a probe for an absent string ends soon.
  const size_t capacity = std::bit_ceil(std::max<size_t>(count + count / 2 + 1, 2));
  slots_.assign(capacity, Slot());
  shift_ = 64u - static_cast<unsigned>(std::countr_zero(capacity));
  mask_ = capacity - 1;
  size_ = 0;
  longest_ = 0;
}

int32_t StringTable::insert(std::string_view text, int32_t id) {
  const uint64_t mixed = mix(hash_string(text));
  size_t i = mixed >> shift_;
  for (; slots_[i].bytes != nullptr; i = (i + 1) & mask_) {
    Slot& slot = slots_[i];
    if (slot.length == text.size() && equal(slot.bytes, text.data(), text.size())) {
      return std::exchange(slot.id, id);
    }
  }
  slots_[i] = {text.data(), id, static_cast<uint16_t>(mixed), static_cast<uint16_t>(text.size())};
  ++size_;
  longest_ = std::max(longest_, text.size());
  return kAbsent;
}

}  // namespace bert
