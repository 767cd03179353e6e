#include "program/cli/output/task_output.h"

#include "program/cli/common.h"
#include "program/cli/output/csv.h"
#include "program/cli/output/text_units.h"

namespace bert::cli {
namespace {

const OffsetUnits* units_of_text(const Sequence& text) {
  return text.units == nullptr ? nullptr : &text.units->of_text();
}

struct Lines {
  const Sequence& text;

  std::string operator()(const std::vector<LabelScore>& labels) const {
    return joined(labels, "  ",
                  [](const LabelScore& label) { return one_line(label.label) + " " + fixed(label.score, 6); }) +
           "\n";
  }
  std::string operator()(const std::vector<Entity>& entities) const {
    if (entities.empty()) return "no entities\n";
    Table table({{"entity"}, {"score", Align::kRight}, {"word"}, {"start", Align::kRight}, {"end", Align::kRight}});
    for (const Entity& entity : entities) {
      table.add({one_line(entity.entity), fixed(entity.score, 6), one_line(entity.word),
                 place_text(entity.start, units_of_text(text)), place_text(entity.end, units_of_text(text))});
    }
    return table.text({});
  }
  std::string operator()(const std::vector<WordLabel>& labels) const {
    Table table({{"word"}, {"label"}, {"score", Align::kRight}});
    size_t next = 0;
    for (const WordLabel& label : labels) {
      table.add({one_line((*text.input.words)[next++]), one_line(label.label),
                 label.label.empty() ? "" : fixed(label.score, 6)});
    }
    return table.text({});
  }
  std::string operator()(const std::vector<std::vector<MaskCandidate>>& masks) const {
    Table table({{"mask", Align::kRight}, {"score", Align::kRight}, {"token"}, {"sequence"}});
    size_t mask = 0;
    for (const auto& candidates : masks) {
      ++mask;
      for (const MaskCandidate& candidate : candidates) {
        table.add(
            {std::to_string(mask), fixed(candidate.score, 6), one_line(candidate.token), one_line(candidate.sequence)});
      }
    }
    return table.text({});
  }
  std::string operator()(const std::vector<Answer>& answers) const {
    if (answers.empty()) return "no answer\n";
    Table table({{"score", Align::kRight}, {"answer"}, {"start", Align::kRight}, {"end", Align::kRight}});
    const OffsetUnits* const units = text.units == nullptr ? nullptr : &text.units->of_pair();
    for (const Answer& answer : answers) {
      table.add({fixed(answer.score, 6), one_line(answer.answer), place_text(answer.start, units),
                 place_text(answer.end, units)});
    }
    return table.text({});
  }
  std::string operator()(const NextSentence& found) const { return fixed(found.is_next, 6) + "\n"; }
  std::string operator()(const Relevance& found) const { return fixed(found.score, 6) + "\n"; }
  std::string operator()(const RedactedText& redacted) const { return redacted.text + "\n"; }
};

}  // namespace

std::string lines_of(const TaskOutput& output, const Sequence& text) { return std::visit(Lines{text}, output); }

bool has_titles(const TaskOutput& output) {
  return !std::holds_alternative<std::vector<LabelScore>>(output) && !std::holds_alternative<NextSentence>(output);
}

std::vector<std::vector<std::string>> rows_of(const TaskOutput& output, const Sequence& text) {
  std::vector<std::vector<std::string>> rows;
  if (const auto* labels = std::get_if<std::vector<LabelScore>>(&output)) {
    for (const LabelScore& label : *labels) rows.push_back({label.label, number_cell(label.score)});
  } else if (const auto* words = std::get_if<std::vector<WordLabel>>(&output)) {
    for (const WordLabel& label : *words) {
      rows.push_back(
          {label.label, label.label.empty() ? "" : number_cell(label.score), (*text.input.words)[rows.size()], "", ""});
    }
  } else {
    for (const Entity& entity : std::get<std::vector<Entity>>(output)) {
      rows.push_back({entity.entity, entity.entity.empty() ? "" : number_cell(entity.score), entity.word,
                      place_text(entity.start, units_of_text(text)), place_text(entity.end, units_of_text(text))});
    }
  }
  return rows;
}

}  // namespace bert::cli
