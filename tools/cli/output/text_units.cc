#include "tools/cli/output/text_units.h"

#include <utility>

namespace bert::cli {

TextUnits::TextUnits(std::string text, std::string pair, OffsetUnit unit)
    : text_(std::move(text)), pair_(std::move(pair)), unit_(unit), text_units_(text_, unit), pair_units_(pair_, unit) {}

TextUnits::TextUnits(std::vector<std::string> words, OffsetUnit unit)
    : words_(std::move(words)), unit_(unit), text_units_(text_, unit), pair_units_(pair_, unit) {
  for (const std::string& word : words_) word_units_.emplace_back(word, unit);
}

const OffsetUnits& TextUnits::of_token(const Encoding& encoding, size_t token) const {
  if (encoding.sequence_ids[token] == 1) return pair_units_;
  const int32_t word = encoding.word_ids[token];
  return word_units_.empty() || word < 0 ? text_units_ : word_units_[static_cast<size_t>(word)];
}

std::vector<Offset> TextUnits::offsets(const Encoding& encoding) const {
  std::vector<Offset> result;
  result.reserve(encoding.size());
  for (size_t i = 0; i < encoding.size(); ++i) {
    const OffsetUnits& units = of_token(encoding, i);
    result.push_back({units.before(encoding.offsets[i].begin), units.before(encoding.offsets[i].end)});
  }
  return result;
}

void add_place(JsonWriter& object, const Offset& bytes, const Offset& code_points, const OffsetUnits* units) {
  if (units != nullptr) {
    object.number("start", units->before(bytes.begin));
    object.number("end", units->before(bytes.end));
    return;
  }
  object.number("start", bytes.begin);
  object.number("end", bytes.end);
  object.number("code_point_start", code_points.begin);
  object.number("code_point_end", code_points.end);
}

}  // namespace bert::cli
