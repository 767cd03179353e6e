#include "tools/cli/explore/probe_experiment.h"

#include <algorithm>

#include "tools/cli/console.h"
#include "tools/cli/explore/drawings.h"
#include "tools/cli/explore/report.h"

namespace bert::cli {

void ProbeExperiment::read(Sequences& sequences, RunSummary& summary) {
  for (Sequence sequence; sequences.next(sequence);) {
    ++read_;
    if (!sequence.error) {
      ++valid_;
      probe_.add(sequence.encoding, sequence.encoded);
    }
    summary.count(sequence);
  }
}

void ProbeExperiment::finish(const std::string& source) {
  if (valid_ == 0) throw InputError("no " + std::string(read_ == 0 ? "" : "valid ") + "text in " + source);
  shares_ = probe_.shares(source);
}

std::string ProbeExperiment::answer() const {
  return "Position explains " + percent(shares_.position.front()) +
         " of the variance of the token vectors in the embeddings and " + percent(shares_.position.back()) +
         " after the last layer; the context explains " + percent(shares_.neither.front()) + " and " +
         percent(shares_.neither.back()) + ".";
}

std::string ProbeExperiment::text(const TextStyle& style) const {
  return "variance of the token vectors explained by\n" + table().text(style) + "\n" + sentence();
}

std::string ProbeExperiment::texts() const {
  return with_commas(shares_.tokens) + " tokens of " + with_commas(shares_.texts) + " texts, " +
         with_commas(shares_.words) + " words, special tokens left out";
}

Table ProbeExperiment::table() const {
  Table table({{"layer", Align::kRight},
               {"position", Align::kRight},
               {"word", Align::kRight},
               {"both", Align::kRight},
               {"neither", Align::kRight}});
  for (size_t i = 0; i < shares_.position.size(); ++i) {
    table.add({std::to_string(i), percent(shares_.position[i], 1), percent(shares_.word[i], 1),
               percent(shares_.both[i], 1), percent(shares_.neither[i], 1)});
  }
  return table;
}

std::string ProbeExperiment::sentence() const {
  const auto first_and_last = [](const std::vector<double>& shares) {
    return percent(shares.front()) + " and " + percent(shares.back());
  };
  const auto peak = std::max_element(shares_.position.begin(), shares_.position.end()) - shares_.position.begin();
  return "In the embeddings and after the last layer, position explains " + first_and_last(shares_.position) +
         " of the variance (at most " + percent(shares_.position[static_cast<size_t>(peak)]) + ", in layer " +
         std::to_string(peak) + "), the word " + first_and_last(shares_.word) + ". The rest (neither), " +
         first_and_last(shares_.neither) + ", comes from the context.";
}

void ProbeExperiment::add_json(JsonWriter& object) const {
  object.number("texts", shares_.texts);
  object.number("tokens", shares_.tokens);
  object.number("left_out_tokens", shares_.left_out_tokens);
  object.number("words", shares_.words);
  object.number("position_count", shares_.positions);
  object.numbers<double>("position", shares_.position);
  object.numbers<double>("word", shares_.word);
  object.numbers<double>("both", shares_.both);
  object.numbers<double>("neither", shares_.neither);
}

void ProbeExperiment::add_to(Page& page) const {
  page.section("Explained variance by layer",
               "The share of the variance of all token vectors that a token's position or its word explains; "
               "neither: the share that no sum of a vector for each explains. Layer 0 is the embeddings. " +
                   sentence());
  page.drawing(draw_line_chart({.title = "Variance explained by position, by word and by neither, by layer",
                                .x_axis = "layer",
                                .y_axis = "share of the variance",
                                .lines = {{"word", Ink::kBlue, shares_.word},
                                          {"position", Ink::kOrange, shares_.position},
                                          {"neither", Ink::kGreen, shares_.neither}},
                                .percent = true}));
  page.table(table());
}

}  // namespace bert::cli
