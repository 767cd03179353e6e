#include "tools/drawings/model_report.h"

#include <utility>

namespace bert::drawings {

void ModelReport::add(const std::string& question, std::shared_ptr<const Findings> found) {
  std::string answer = found->answer();
  chapters_.push_back({question, std::move(answer), [found = std::move(found)](Page& page) { found->add_to(page); }});
}

void ModelReport::add_positions(const std::shared_ptr<const PositionFindings>& found) {
  if (found->table()) {
    chapters_.push_back({"How do the learned positions compare with sinusoidal ones?", found->table()->answer(),
                         [found](Page& page) { found->table()->add_to(page); }});
  }
  if (found->distances().empty()) return;
  chapters_.push_back({"How does the distance of two tokens change their attention score?", found->distances().answer(),
                       [found](Page& page) { found->distances().add_to(page); }});
}

void ModelReport::add_measured(const std::string& question, std::shared_ptr<const Findings> found,
                               const std::string& measured_on) {
  std::string answer = found->answer();
  chapters_.push_back({question, std::move(answer), [found = std::move(found), measured_on](Page& page) {
                         found->add_to(page);
                         page.note("Measured on " + measured_on + ".");
                       }});
}

std::string ModelReport::answer() const { return chapters_.empty() ? "" : chapters_.front().answer; }

std::string ModelReport::text(const common::TextStyle&) const {
  std::string text;
  for (const Chapter& chapter : chapters_) {
    text += (text.empty() ? "" : "\n\n") + chapter.question + "\n" + chapter.answer;
  }
  return text;
}

void ModelReport::add_to(Page& page) const {
  for (const Chapter& chapter : chapters_) {
    page.chapter(chapter.question, chapter.answer);
    chapter.add_to(page);
  }
}

}  // namespace bert::drawings
