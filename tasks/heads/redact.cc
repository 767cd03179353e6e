#include "bert/redact.h"

#include <algorithm>
#include <utility>

#include "bert/offsets.h"
#include "bert/task_calls.h"
#include "engine/base/hash/sha256.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"
#include "tokenizer/pattern/regular_expression.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {
namespace {

constexpr size_t kHashDigits = 32, kStride = 32;

Error lack_of_memory() { return {ErrorCode::kOutOfMemory, "not enough memory for what takes the place of the parts"}; }

[[noreturn]] void refuse_rules(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

// Returns whether the character's script puts spaces between words.
bool is_of_spaced_word(char32_t c) {
  if (!unicode::is_word_character(c) && !unicode::is_mark(c)) return false;
  const uint8_t script = unicode::script(c);
  for (const char32_t unspaced : {U'\x4E00', U'\x3042', U'\x0E01', U'\x0E81', U'\x1780', U'\x1000'}) {
    if (script == unicode::script(unspaced)) return false;
  }
  return true;
}

char32_t character_before(std::string_view text, size_t at) {
  return decode_utf8(text, character_start(text, at - 1)).code_point;
}

// Finds the words of a text. For ascending places, it reads each character once.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  // Returns the word that has characters on both sides of this place; else the empty range there.
  Offset around(size_t at) {
    if (word_.begin < at && at < word_.end) return word_;
    word_ = {at, at};
    while (joins(word_.begin)) word_.begin = character_start(text_, word_.begin - 1);
    while (joins(word_.end)) word_.end += decode_utf8(text_, word_.end).bytes;
    return word_;
  }

 private:
  bool joins(size_t at) const {
    return at > 0 && at < text_.size() && is_of_spaced_word(character_before(text_, at)) &&
           is_of_spaced_word(decode_utf8(text_, at).code_point);
  }

  std::string_view text_;
  Offset word_ = {};
};

// A part to replace. Of two parts of equal length, the one with the smaller rank gives the label.
struct Part {
  Offset place;
  size_t rank = 0;
  const std::string* label = nullptr;
};

// Extends the parts to the whole words in which they begin and end.
void make_whole_words(std::string_view text, std::span<Part> parts) {
  for (const auto side : {&Offset::begin, &Offset::end}) {
    std::vector<size_t*> places;
    for (Part& part : parts) places.push_back(&(part.place.*side));
    std::sort(places.begin(), places.end(), [](const size_t* a, const size_t* b) { return *a < *b; });
    Words words(text);
    for (size_t* const place : places) *place = words.around(*place).*side;
  }
}

// Merges overlapping parts; returns the parts in order.
std::vector<Part> joined_parts(std::vector<Part> parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.place.begin < b.place.begin; });
  const auto size = [](const Part& part) { return part.place.end - part.place.begin; };
  std::vector<Part> all, longest;
  for (const Part& part : parts) {
    if (all.empty() || part.place.begin >= all.back().place.end) {
      all.push_back(part);
      longest.push_back(part);
      continue;
    }
    all.back().place.end = std::max(all.back().place.end, part.place.end);
    Part& best = longest.back();
    if (size(part) > size(best) || (size(part) == size(best) && part.rank < best.rank)) best = part;
  }
  for (size_t i = 0; i < all.size(); ++i) all[i].label = longest[i].label;
  return all;
}

TaskCallPtr entities_call(const Model& model, const RedactOptions& options) {
  if (reads_labels(model, LabelTask::kEntities)) {
    if (options.labels.labels.empty())
      refuse_rules("no labels, expected at least one: the model reads them with a text");
    return tag_call(model, options.labels);
  }
  if (!options.labels.labels.empty()) refuse_rules("labels for a model that does not read them, expected none");
  model.require(Head::kTokenClassification);
  return tag_call(model, {options.aggregation, options.scheme});
}

class RedactCall : public TaskCall {
 public:
  RedactCall(const Model& model, const RedactOptions& options, std::shared_ptr<const Redactor> redactor)
      : TaskCall(model), entities_(entities_call(model, options)), redactor_(std::move(redactor)) {}

  TextTask computation() const override { return entities_->computation(); }
  void adjust(TextOptions& options) const override {
    if (options.fits_stride) options.tokenize->stride = redact_stride(model());
  }
  Error error(const Error& error) const override { return without_text(error); }
  TaskOutput result(std::span<const TaskSequence> sequences) const override {
    size_t unread = 0;
    for (const TaskSequence& one : sequences) unread += one.truncated_tokens;
    if (unread > 0) {
      throw Error(ErrorCode::kInvalidText,
                  std::to_string(unread) + " tokens of the text that the model cannot read, expected none");
    }
    TaskOutput entities = entities_->result(sequences);
    if (!redactor_) return entities;
    return redactor_->redact(sequences.front().text, std::get<std::vector<Entity>>(entities));
  }

 private:
  const TaskCallPtr entities_;
  const std::shared_ptr<const Redactor> redactor_;  // null: return the entities
};

}  // namespace

struct Redactor::Impl {
  // A part of a replacement: text, or a name in braces.
  struct TemplatePart {
    enum class Kind { kText, kLabel, kHash } kind = Kind::kText;
    std::string text = {};
  };

  void read_replacement(std::string_view text);
  std::vector<Part> parts(std::string_view text, std::span<const Entity> entities, const RedactControl& control) const;
  std::string replaced(std::string_view found, const std::string& label) const;
  size_t replaced_bytes(std::string_view found, const std::string& label) const;

  RedactRules rules;
  std::vector<TemplatePart> replacement = {};
  std::vector<std::unique_ptr<const RegularExpression>> expressions = {};
};

void Redactor::Impl::read_replacement(std::string_view text) {
  std::vector<TemplatePart>& parts = replacement;
  parts.assign(1, {});
  const std::string whole = "replacement " + quote(text, 80);
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_doubled = i + 1 < text.size() && text[i + 1] == c;
    if (c != '{' && c != '}') {
      parts.back().text += c;
    } else if (is_doubled) {
      parts.back().text += c;
      ++i;
    } else {
      const size_t end = c == '{' ? text.find('}', i) : text.npos;
      const std::string_view name = end == text.npos ? "" : text.substr(i + 1, end - i - 1);
      if (name != "label" && name != "hash") {
        refuse_rules(whole + ": expected {label} and {hash} alone in braces, and braces of the text as {{ and }}");
      }
      parts.push_back({name == "label" ? TemplatePart::Kind::kLabel : TemplatePart::Kind::kHash});
      parts.emplace_back();
      i = end;
    }
  }
}

size_t Redactor::Impl::replaced_bytes(std::string_view found, const std::string& label) const {
  if (rules.mask) return rules.mask->size() * count_characters(found);
  size_t bytes = 0;
  for (const TemplatePart& one : replacement) {
    bytes += one.kind == TemplatePart::Kind::kText    ? one.text.size()
             : one.kind == TemplatePart::Kind::kLabel ? label.size()
                                                      : kHashDigits;
  }
  return bytes;
}

std::string Redactor::Impl::replaced(std::string_view found, const std::string& label) const {
  std::string out;
  if (rules.mask) {
    for (size_t i = count_characters(found); i > 0; --i) out += *rules.mask;
    return out;
  }
  std::string hash;
  for (const TemplatePart& one : replacement) {
    switch (one.kind) {
      case TemplatePart::Kind::kText:
        out += one.text;
        break;
      case TemplatePart::Kind::kLabel:
        out += label;
        break;
      case TemplatePart::Kind::kHash:
        if (hash.empty()) hash = hmac_sha256(rules.key, found).substr(0, kHashDigits);
        out += hash;
        break;
    }
  }
  return out;
}

Redactor::Redactor(RedactRules rules) {
  auto impl = std::make_unique<Impl>();
  impl->read_replacement(rules.replacement);
  const bool hashes = std::any_of(impl->replacement.begin(), impl->replacement.end(),
                                  [](const auto& part) { return part.kind == Impl::TemplatePart::Kind::kHash; });
  if (rules.mask && (count_characters(*rules.mask) != 1 || find_invalid_utf8(*rules.mask))) {
    refuse_rules("mask " + quote(*rules.mask, 20) + ", expected one character");
  }
  if (hashes && !rules.mask && rules.key.size() < RedactRules::kLeastKeyBytes) {
    refuse_rules("a key of " + std::to_string(rules.key.size()) + " bytes for {hash}, expected at least " +
                 std::to_string(RedactRules::kLeastKeyBytes));
  }
  for (const RedactExpression& one : rules.expressions) {
    if (one.label.empty()) refuse_rules("an expression with an empty label, expected a name");
    try {
      impl->expressions.push_back(std::make_unique<RegularExpression>(one.expression, "label " + quote(one.label, 60)));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kUnsupported) throw;
      refuse_rules(error.what());
    }
  }
  impl->rules = std::move(rules);
  impl_ = std::move(impl);
}
Redactor::~Redactor() = default;
Redactor::Redactor(Redactor&&) noexcept = default;
Redactor& Redactor::operator=(Redactor&&) noexcept = default;

// Merges parts that overlap; returns them in the text's order.
std::vector<Part> Redactor::Impl::parts(std::string_view text, std::span<const Entity> entities,
                                        const RedactControl& control) const {
  std::vector<Part> found;
  std::vector<TextRange> matches;
  bool has_memory = true;
  const auto goes_on = [&] {
    if (control.reserve) has_memory = control.reserve(found.size() + matches.size(), 0);
    return has_memory && (!control.goes_on || control.goes_on());
  };
  for (size_t i = 0; i < expressions.size(); ++i) {
    const std::string& label = rules.expressions[i].label;
    matches.clear();
    try {
      if (!goes_on()) throw Error(ErrorCode::kCancelled, "");
      expressions[i]->find(text, matches, goes_on);
    } catch (const Error& error) {
      if (!has_memory) throw lack_of_memory();
      if (error.code() == ErrorCode::kCancelled) throw Error(error.code(), "the redaction was cancelled");
      throw Error(error.code(), "the search for the expression with the label " + quote(label, 60) +
                                    " takes too long in a text of " + std::to_string(text.size()) + " bytes");
    }
    for (const TextRange& match : matches) {
      if (match.begin < match.end) found.push_back({{match.begin, match.end}, i, &label});
    }
  }
  const size_t first_entity = found.size();
  for (const Entity& entity : entities) {
    const bool is_wanted =
        rules.only.empty() || std::find(rules.only.begin(), rules.only.end(), entity.entity) != rules.only.end();
    if (!is_wanted || entity.score < rules.least_score || entity.start >= entity.end) continue;
    found.push_back({{entity.start, entity.end}, expressions.size(), &entity.entity});
  }
  make_whole_words(text, std::span(found).subspan(first_entity));
  return joined_parts(std::move(found));
}

RedactedText Redactor::redact(std::string_view text, std::span<const Entity> entities,
                              const RedactControl& control) const {
  if (const auto invalid = find_invalid_utf8(text)) {
    throw Error(ErrorCode::kInvalidText, "not valid UTF-8 at byte " + std::to_string(*invalid));
  }
  const std::vector<Part> parts = impl_->parts(text, entities, control);
  const auto text_of = [&](const Part& part) {
    return text.substr(part.place.begin, part.place.end - part.place.begin);
  };
  size_t bytes = text.size();
  for (const Part& part : parts) bytes += part.label->size() + impl_->replaced_bytes(text_of(part), *part.label);
  if (control.reserve && !control.reserve(parts.size(), bytes)) throw lack_of_memory();
  const OffsetUnits points(text, OffsetUnit::kCodePoints);
  RedactedText result;
  size_t done = 0;
  for (const Part& part : parts) {
    result.text.append(text.substr(done, part.place.begin - done)).append(impl_->replaced(text_of(part), *part.label));
    result.replaced.push_back(
        {*part.label, part.place, {points.before(part.place.begin), points.before(part.place.end)}});
    done = part.place.end;
  }
  result.text.append(text.substr(done));
  return result;
}

size_t redact_stride(const Model& model) { return std::min(kStride, model.max_length() / 4); }

TaskCallPtr redact_call(const Model& model, const RedactOptions& options, std::shared_ptr<const Redactor> redactor) {
  return std::make_unique<RedactCall>(model, options, std::move(redactor));
}

RedactExpression redact_expression(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == text.npos || equals + 1 == text.size()) {
    refuse_rules("expression " + quote(text, 200) + ": expected LABEL=EXPRESSION");
  }
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Error without_text(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kInvalidArgument:  // an error of the request, such as its stride: it quotes no text
      return error;
    case ErrorCode::kInvalidText:
      return {error.code(), "the text cannot be read"};
    case ErrorCode::kNonFinite:
      return {error.code(), "the model's output for the text is not finite"};
    case ErrorCode::kOutOfMemory:
      return {error.code(), "not enough memory for the text"};
    default:
      return {error.code(), "the text cannot be computed"};
  }
}

}  // namespace bert
