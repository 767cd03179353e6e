#include "tools/cli/explore/probe_experiment.h"

#include <algorithm>
#include <span>

#include "tools/cli/console.h"
#include "tools/cli/explore/drawings.h"
#include "tools/cli/explore/report.h"

namespace bert::cli {

void ProbeExperiment::read(Sequences& sequences, RunSummary& summary) {
  for (Sequence sequence; sequences.next(sequence);) {
    ++read_;
    if (!sequence.error) add(sequence.encoding, sequence.encoded);
    summary.count(sequence);
  }
}

// Special tokens are left out: [CLS] is always at position 0, so that position and word cannot be separated.
void ProbeExperiment::add(const Encoding& encoding, const EncodedSequence& encoded) {
  if (!sums_.has_value()) sums_.emplace(layer_count(encoded), encoded.hidden);
  ++texts_;
  std::vector<float> rows(sums_->layers() * encoded.hidden);
  for (size_t t = 0; t < encoded.tokens; ++t) {
    if (!encoding.special_tokens_mask.empty() && encoding.special_tokens_mask[t] != 0) continue;
    auto found = word_groups_.find(encoding.ids[t]);
    if (found == word_groups_.end()) {
      if (word_groups_.size() >= max_words_) {
        ++left_out_;
        continue;
      }
      found = word_groups_.emplace(encoding.ids[t], static_cast<uint32_t>(word_groups_.size())).first;
    }
    ++tokens_;
    positions_ = std::max(positions_, t + 1);
    for (size_t layer = 0; layer < sums_->layers(); ++layer) {
      const std::span<const float> row = layer_rows(encoded, layer)[t];
      std::copy(row.begin(), row.end(), rows.begin() + static_cast<ptrdiff_t>(layer * encoded.hidden));
    }
    sums_->add(static_cast<uint32_t>(t), found->second, {rows, encoded.hidden});
  }
}

void ProbeExperiment::finish(const std::string& source) {
  if (!sums_) throw InputError("no " + std::string(read_ == 0 ? "" : "valid ") + "text in " + source);
  if (tokens_ == 0) throw InputError("no tokens in " + source + ", expected some");
  if (tokens_ < word_groups_.size() + positions_) {
    throw InputError("too few tokens in " + source + ": " + with_commas(tokens_) + ", expected at least " +
                     with_commas(word_groups_.size() + positions_) + ", the sum of words (" +
                     with_commas(word_groups_.size()) + ") and positions (" + with_commas(positions_) + ")");
  }
  for (size_t layer = 0; layer < sums_->layers(); ++layer) {
    if (!sums_->varies(layer)) {
      throw InputError("all tokens have the same vector in layer " + std::to_string(layer) +
                       ", expected different ones");
    }
    const analysis::ExplainedVariance explained = sums_->explained(layer);
    position_.push_back(explained.first);
    word_.push_back(explained.second);
    both_.push_back(explained.both);
    neither_.push_back(1 - explained.both);
  }
}

std::string ProbeExperiment::answer() const {
  return "Position explains " + percent(position_.front()) +
         " of the variance of the token vectors in the embeddings and " + percent(position_.back()) +
         " after the last layer; the context explains " + percent(neither_.front()) + " and " +
         percent(neither_.back()) + ".";
}

std::string ProbeExperiment::text(const TextStyle& style) const {
  return "variance of the token vectors explained by\n" + table().text(style) + "\n" + sentence();
}

std::string ProbeExperiment::texts() const {
  return with_commas(tokens_) + " tokens of " + with_commas(texts_) + " texts, " + with_commas(word_groups_.size()) +
         " words, special tokens left out";
}

Table ProbeExperiment::table() const {
  Table table({{"layer", Align::kRight},
               {"position", Align::kRight},
               {"word", Align::kRight},
               {"both", Align::kRight},
               {"neither", Align::kRight}});
  for (size_t i = 0; i < position_.size(); ++i) {
    table.add({std::to_string(i), percent(position_[i], 1), percent(word_[i], 1), percent(both_[i], 1),
               percent(neither_[i], 1)});
  }
  return table;
}

std::string ProbeExperiment::sentence() const {
  const auto first_and_last = [](const std::vector<double>& shares) {
    return percent(shares.front()) + " and " + percent(shares.back());
  };
  const auto peak = std::max_element(position_.begin(), position_.end()) - position_.begin();
  return "In the embeddings and after the last layer, position explains " + first_and_last(position_) +
         " of the variance (at most " + percent(position_[static_cast<size_t>(peak)]) + ", in layer " +
         std::to_string(peak) + "), the word " + first_and_last(word_) + ". The rest (neither), " +
         first_and_last(neither_) + ", comes from the context.";
}

void ProbeExperiment::add_json(JsonWriter& object) const {
  object.number("texts", texts_);
  object.number("tokens", tokens_);
  object.number("left_out_tokens", left_out_);
  object.number("words", word_groups_.size());
  object.number("position_count", positions_);
  object.numbers<double>("position", position_);
  object.numbers<double>("word", word_);
  object.numbers<double>("both", both_);
  object.numbers<double>("neither", neither_);
}

void ProbeExperiment::add_to(Page& page) const {
  page.section("Explained variance by layer",
               "The share of the variance of all token vectors that a token's position or its word explains; "
               "neither: the share that no sum of a vector for each explains. Layer 0 is the embeddings. " +
                   sentence());
  page.drawing(draw_line_chart({.title = "Variance explained by position, by word and by neither, by layer",
                                .x_axis = "layer",
                                .y_axis = "share of the variance",
                                .lines = {{"word", Ink::kBlue, word_},
                                          {"position", Ink::kOrange, position_},
                                          {"neither", Ink::kGreen, neither_}},
                                .percent = true}));
  page.table(table());
}

}  // namespace bert::cli
