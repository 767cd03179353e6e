#include "program/drawings/model_report.h"

#include <algorithm>
#include <utility>

#include "engine/base/joined.h"
#include "program/common/terminal_text.h"

namespace bert::drawings {

namespace {

constexpr size_t kNearestWords = 3;

}  // namespace

void ModelReport::add_tokens(const Model& model, const Encoding& encoding) {
  for (const TensorInfo& tensor : model.describe().tensors) {
    size_t count = 1;
    for (const size_t dimension : tensor.shape) count *= dimension;
    parameters_ += count;
  }
  const std::vector<std::string> labels = token_labels(encoding, model);
  for (size_t i = 0; i < encoding.size(); ++i) {
    Token token{labels[i], encoding.ids[i], {}};
    const auto same = std::find_if(tokens_.begin(), tokens_.end(), [&](const Token& of) { return of.id == token.id; });
    if (same != tokens_.end()) {
      token.nearest = same->nearest;
    } else if (encoding.sequence_ids[i] != kNoSequence) {
      for (const WordNeighbor& word : nearest_words(model, token.id, kNearestWords)) {
        token.nearest.push_back(common::one_line(model.tokenizer().token(word.id)));
      }
    }
    tokens_.push_back(std::move(token));
  }
}

void ModelReport::add(const std::string& question, const std::shared_ptr<const Findings>& found) {
  std::string answer = found->answer();
  chapters_.push_back({question, std::move(answer), [found](Page& page) { found->add_main(page); },
                       [found](Page& page) { found->add_details(page); }});
}

void ModelReport::add_positions(const std::shared_ptr<const PositionFindings>& found) {
  if (found->table()) {
    chapters_.push_back({"How do the learned positions compare with sinusoidal ones?", found->table()->answer(),
                         [found](Page& page) { found->table()->add_main(page); },
                         [found](Page& page) { found->table()->add_details(page); }});
  }
  if (found->distances().empty()) return;
  chapters_.push_back({"How does the distance of two tokens change their attention score?", found->distances().answer(),
                       [found](Page& page) { found->distances().add_main(page); },
                       [found](Page& page) { found->distances().add_details(page); }});
}

void ModelReport::add_measured(const std::string& question, const std::shared_ptr<const Findings>& found,
                               const std::string& measured_on) {
  std::string answer = found->answer();
  chapters_.push_back({question, std::move(answer),
                       [found, measured_on](Page& page) {
                         found->add_main(page);
                         page.note("Measured on " + measured_on + ".");
                       },
                       [found](Page& page) { found->add_details(page); }});
}

std::string ModelReport::answer() const { return chapters_.empty() ? "" : chapters_.front().answer; }

std::string ModelReport::text(const common::TextStyle& style) const {
  std::string text;
  if (!tokens_.empty()) {
    text = "What does the model read?\n" + tokens_table().text(style) + common::with_commas(tokens_.size()) +
           " tokens, " + common::with_commas(parameters_) + " parameters.";
  }
  for (const Chapter& chapter : chapters_) {
    text += (text.empty() ? "" : "\n\n") + chapter.question + "\n" + chapter.answer;
  }
  return text;
}

common::Table ModelReport::tokens_table() const {
  common::Table table({{"#", common::Align::kRight}, {"token"}, {"id", common::Align::kRight}, {"nearest words"}});
  for (const Token& token : tokens_) {
    const std::string nearest = joined(token.nearest, ", ");
    table.add({std::to_string(&token - tokens_.data()), token.token, std::to_string(token.id), nearest});
  }
  return table;
}

void ModelReport::add_to(Page& page) const {
  const auto id_of = [](size_t chapter) { return "question-" + std::to_string(chapter + 1); };
  std::vector<Page::Answer> answers;
  for (size_t i = 0; i < chapters_.size(); ++i) {
    answers.push_back({chapters_[i].question, chapters_[i].answer, id_of(i)});
  }
  page.answers(answers);
  for (size_t i = 0; i < chapters_.size(); ++i) {
    page.chapter(chapters_[i].question, id_of(i));
    chapters_[i].add_main(page);
    page.begin_folded("More of it: all tables and drawings");
    chapters_[i].add_details(page);
    page.end_folded();
  }
  if (tokens_.empty()) return;
  page.chapter("What does the model read?");
  page.note("The text's tokens, their ids, and the words whose rows of the word table are the nearest. The model has " +
            common::with_commas(parameters_) + " parameters.");
  page.table(tokens_table());
}

}  // namespace bert::drawings
