#include "bert/task_json.h"

#include "engine/base/json/json_writer.h"

namespace bert {
namespace {

void add_span(JsonWriter& object, size_t start, size_t end, size_t code_point_start, size_t code_point_end,
              const std::optional<OffsetUnits>& units) {
  object.number("start", uint64_t{units ? units->before(start) : start});
  object.number("end", uint64_t{units ? units->before(end) : end});
  if (units) return;
  object.number("code_point_start", uint64_t{code_point_start});
  object.number("code_point_end", uint64_t{code_point_end});
}

template <class Found>
void add_span(JsonWriter& object, const Found& found, const std::optional<OffsetUnits>& units) {
  add_span(object, found.start, found.end, found.code_point_start, found.code_point_end, units);
}

// Appends a list of objects; add(object, item) adds an item's members.
template <class Items, class Add>
void append_objects(std::string& text, const Items& items, const Add& add) {
  append_list(text, items, [&](std::string& list, const auto& item) {
    JsonWriter object;
    add(object, item);
    list += object.take();
  });
}

struct Writer {
  const TaskSequence& input;
  const std::optional<OffsetUnit> unit;
  std::string& text;

  std::optional<OffsetUnits> units_of(std::string_view of) const {
    return unit ? std::optional<OffsetUnits>(std::in_place, of, *unit) : std::nullopt;
  }

  void operator()(const std::vector<LabelScore>& labels) const {
    append_objects(text, labels, [](JsonWriter& object, const LabelScore& label) {
      object.string("label", label.label);
      object.number("score", label.score);
    });
  }
  void operator()(const std::vector<Entity>& entities) const {
    append_objects(text, entities, [units = units_of(input.text)](JsonWriter& object, const Entity& entity) {
      object.string("entity", entity.entity);
      object.number("score", entity.score);
      object.string("word", entity.word);
      add_span(object, entity, units);
    });
  }
  void operator()(const std::vector<WordLabel>& labels) const {
    size_t next = 0;
    append_objects(text, labels, [&](JsonWriter& object, const WordLabel& label) {
      object.string("word", (*input.words)[next++]);
      if (label.label.empty()) {
        object.member("label") += "null";
        object.member("score") += "null";
      } else {
        object.string("label", label.label);
        object.number("score", label.score);
      }
    });
  }
  void operator()(const std::vector<std::vector<MaskCandidate>>& masks) const {
    append_list(text, masks, [](std::string& list, const std::vector<MaskCandidate>& candidates) {
      append_objects(list, candidates, [](JsonWriter& object, const MaskCandidate& candidate) {
        object.string("token", candidate.token);
        object.number("id", candidate.id);
        object.number("score", candidate.score);
        object.string("sequence", candidate.sequence);
      });
    });
  }
  void operator()(const std::vector<Answer>& answers) const {
    append_objects(text, answers, [units = units_of(input.pair)](JsonWriter& object, const Answer& answer) {
      object.string("answer", answer.answer);
      object.number("score", answer.score);
      add_span(object, answer, units);
    });
  }
  void operator()(const NextSentence& found) const { append_number(text, found.is_next); }
  void operator()(const Relevance& found) const { append_number(text, found.score); }
  void operator()(const RedactedText& redacted) const {
    JsonWriter object;
    object.string("text", redacted.text);
    append_objects(object.member("replaced"), redacted.replaced,
                   [units = units_of(input.text)](JsonWriter& one, const Redaction& part) {
                     one.string("label", part.label);
                     add_span(one, part.place.begin, part.place.end, part.code_points.begin, part.code_points.end,
                              units);
                   });
    text += object.take();
  }
};

}  // namespace

std::string_view member_name(const TaskOutput& output) {
  constexpr std::string_view kNames[] = {"labels",  "entities", "words", "masks",
                                         "answers", "is_next",  "score", "redacted"};
  static_assert(std::size(kNames) == std::variant_size_v<TaskOutput>);
  return kNames[output.index()];
}

std::string to_json(const TaskOutput& output, const TaskSequence& input, std::optional<OffsetUnit> unit) {
  std::string text;
  std::visit(Writer{input, unit, text}, output);
  return text;
}

}  // namespace bert
