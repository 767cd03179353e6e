#include "program/cli/output/evaluation.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "program/cli/common.h"
#include "program/cli/input/labelled_input.h"
#include "program/cli/output/console.h"

namespace bert::cli {
namespace {

constexpr size_t kMostShown = 20;  // confusions shown in the text

double ratio(size_t part, size_t of) { return of == 0 ? 0 : static_cast<double>(part) / static_cast<double>(of); }

}  // namespace

Evaluation::Evaluation(std::vector<std::string> labels) : labels_(std::move(labels)) {
  std::ranges::sort(labels_, label_comes_before);
  counts_.assign(labels_.size(), std::vector<size_t>(labels_.size()));
}

void Evaluation::add(const std::string& expected, const std::string& found, const ItemSource& source) {
  const auto place = [&](const std::string& label) {
    return static_cast<size_t>(std::ranges::find(labels_, label) - labels_.begin());
  };
  const size_t row = place(expected);
  if (row == labels_.size()) {
    throw InputError(place_of(source) + " has the label " + in_quotes(expected) +
                     ", expected one of the classifier's: " +
                     joined(labels_, ", ", [](const std::string& label) { return one_line(label); }));
  }
  ++counts_[row][place(found)];
}

Evaluation::Scores Evaluation::scores(size_t label) const {
  Scores scores;
  scores.texts = std::accumulate(counts_[label].begin(), counts_[label].end(), size_t{0});
  for (const std::vector<size_t>& row : counts_) scores.found += row[label];
  scores.precision = ratio(counts_[label][label], scores.found);
  scores.recall = ratio(counts_[label][label], scores.texts);
  scores.f1 = ratio(2 * counts_[label][label], scores.texts + scores.found);
  return scores;
}

size_t Evaluation::texts() const {
  size_t texts = 0;
  for (size_t label = 0; label < labels_.size(); ++label) texts += scores(label).texts;
  return texts;
}

size_t Evaluation::right() const {
  size_t right = 0;
  for (size_t label = 0; label < labels_.size(); ++label) right += counts_[label][label];
  return right;
}

double Evaluation::accuracy() const { return ratio(right(), texts()); }

double Evaluation::macro_f1() const {
  double sum = 0;
  for (size_t label = 0; label < labels_.size(); ++label) sum += scores(label).f1;
  return sum / static_cast<double>(labels_.size());
}

std::string Evaluation::text(const common::TextStyle& style) const {
  Table of_labels({{"label"},
                   {"texts", Align::kRight},
                   {"precision", Align::kRight},
                   {"recall", Align::kRight},
                   {"F1", Align::kRight}});
  struct Confusion {
    size_t expected, found, texts;
  };
  std::vector<Confusion> confusions;
  for (size_t label = 0; label < labels_.size(); ++label) {
    const Scores found = scores(label);
    of_labels.add({one_line(labels_[label]), with_commas(found.texts), fixed(found.precision, 4),
                   fixed(found.recall, 4), fixed(found.f1, 4)});
    for (size_t other = 0; other < labels_.size(); ++other) {
      if (other != label && counts_[label][other] > 0) confusions.push_back({label, other, counts_[label][other]});
    }
  }
  of_labels.add({"mean of the labels", "", "", "", fixed(macro_f1(), 4)});
  std::string text = with_commas(texts()) + (texts() == 1 ? " text" : " texts") + ", " + with_commas(right()) +
                     " right: accuracy " + fixed(accuracy(), 4) + "\n\n" + of_labels.text(style);
  if (confusions.empty()) return text;
  std::ranges::stable_sort(confusions, std::greater(), &Confusion::texts);
  Table table({{"expected"}, {"found"}, {"texts", Align::kRight}});
  for (size_t i = 0; i < std::min(confusions.size(), kMostShown); ++i) {
    const Confusion& one = confusions[i];
    table.add({one_line(labels_[one.expected]), one_line(labels_[one.found]), with_commas(one.texts)});
  }
  const size_t rest = confusions.size() - std::min(confusions.size(), kMostShown);
  text += "\nconfusions\n" + table.text(style);
  return rest == 0 ? text : text + "and " + with_commas(rest) + " more; json has all\n";
}

std::string Evaluation::json() const {
  JsonWriter object;
  object.number("texts", texts());
  object.number("right", right());
  object.number("accuracy", accuracy());
  object.number("macro_f1", macro_f1());
  std::vector<size_t> indices(labels_.size());
  std::iota(indices.begin(), indices.end(), size_t{0});
  append_list(object.member("labels"), indices, [&](std::string& list, size_t label) {
    const Scores found = scores(label);
    JsonWriter one;
    one.string("label", labels_[label]);
    one.number("texts", found.texts);
    one.number("found", found.found);
    one.number("precision", found.precision);
    one.number("recall", found.recall);
    one.number("f1", found.f1);
    list += one.take();
  });
  append_list(object.member("confusions"), counts_, [](std::string& list, const std::vector<size_t>& row) {
    append_list(list, row, [](std::string& numbers, size_t count) { append_number(numbers, count); });
  });
  return object.take() + "\n";
}

}  // namespace bert::cli
