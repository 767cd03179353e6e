#include "program/cli/output/text_units.h"

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

std::string place_text(size_t byte, const OffsetUnits* units) {
  return std::to_string(units == nullptr ? byte : units->before(byte));
}

void add_place(JsonWriter& object, const Offset& bytes, const Offset& code_points, const OffsetUnits* units) {
  object.member("start") += place_text(bytes.begin, units);
  object.member("end") += place_text(bytes.end, units);
  if (units != nullptr) return;
  object.number("code_point_start", code_points.begin);
  object.number("code_point_end", code_points.end);
}

}  // namespace bert::cli
