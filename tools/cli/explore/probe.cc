// The command probe: over a file of texts, the variance of the token vectors that position and word explain, by layer.
// Its memory is one batch and the sums for each position and each word.
#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/two_way_variance.h"
#include "tools/cli/command.h"
#include "tools/cli/explore/html/charts.h"
#include "tools/cli/explore/html/page.h"
#include "tools/cli/explore/report.h"
#include "tools/cli/json_text.h"
#include "tools/cli/run_summary.h"
#include "tools/cli/table.h"

namespace bert::cli {
namespace {

constexpr size_t kMaxWords = 2000;

class Probe : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_input(table, options);
    table.number("--words", words_,
                 "keep sums of the first N words of the file (default: " + std::to_string(kMaxWords) +
                     "); tokens of other words are left out",
                 2);
    declare_report(table, options, html_);
    declare_batches(table, options, "512");
  }

  int run(Console& console) override {
    if (options.inputs.empty() && options.texts.size() == 1) {
      options.inputs = {options.texts.front()};
      options.texts.clear();
    }
    if (options.inputs.empty() || !options.texts.empty()) {
      throw UsageError("expected one FILE with one text per line (- is standard input), " +
                       given(options.texts.size() + options.inputs.size()));
    }
    require_separate_page(options, html_);
    const std::unique_ptr<Input> input = open_input(options);
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);

    if (options.positions != Positions::kNative) swapped_ = model.config().position_embedding_type;
    RunSummary summary(*input, output, console);
    Sequences sequences(*input, model, EncodeOptions{.hidden_states = true}, model_token_rules(options, model));
    for (Sequence sequence; sequences.next(sequence);) {
      if (!sequence.error) add(sequence.encoding, sequence.encoded);
      summary.count(sequence);
    }
    const int status = summary.finish();
    if (!sums_.has_value()) {
      throw InputError("no " + std::string(status == 0 ? "" : "valid ") + "text in " +
                       in_quotes(options.inputs.front()));
    }
    compute_explained();
    if (left_out_ > 0) {
      console.note(with_commas(left_out_) + (left_out_ == 1 ? " token" : " tokens") + " of words after the first " +
                   with_commas(max_words()) + (left_out_ == 1 ? " was" : " were") + " left out (--words)");
    }

    model.check_files();
    write_report(
        options, html_, output,
        {.page = [&] { return page(name_on_page(model) + (swapped_.empty() ? "" : ", positions: " + swapped_)); },
         .text =
             [&](const TextStyle& style) {
               return "variance of the token vectors explained by\n" + table().text(style) + "\n" + sentence();
             },
         .json = [&] { return json(); }});
    return status;
  }

 private:
  size_t max_words() const { return words_.value_or(kMaxWords); }

  // Special tokens are left out: [CLS] is always at position 0, so that position and word cannot be separated.
  void add(const Encoding& encoding, const EncodedSequence& encoded) {
    if (!sums_.has_value()) sums_.emplace(layer_count(encoded), encoded.hidden);
    ++texts_;
    std::vector<float> rows(sums_->layers() * encoded.hidden);
    for (size_t t = 0; t < encoded.tokens; ++t) {
      if (!encoding.special_tokens_mask.empty() && encoding.special_tokens_mask[t] != 0) continue;
      auto found = word_groups_.find(encoding.ids[t]);
      if (found == word_groups_.end()) {
        if (word_groups_.size() >= max_words()) {
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

  void compute_explained() {
    if (tokens_ == 0) throw InputError("no tokens in " + in_quotes(options.inputs.front()) + ", expected some");
    if (tokens_ < word_groups_.size() + positions_) {
      throw InputError("too few tokens: " + with_commas(tokens_) + ", expected at least " +
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

  Table table() const {
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

  std::string sentence() const {
    const auto first_and_last = [](const std::vector<double>& shares) {
      return percent(shares.front()) + " and " + percent(shares.back());
    };
    const auto peak = std::max_element(position_.begin(), position_.end()) - position_.begin();
    return "In the embeddings and after the last layer, position explains " + first_and_last(position_) +
           " of the variance (at most " + percent(position_[static_cast<size_t>(peak)]) + ", in layer " +
           std::to_string(peak) + "), the word " + first_and_last(word_) + ". The rest (neither), " +
           first_and_last(neither_) + ", comes from the context.";
  }

  std::string json() const {
    JsonObject object;
    if (!swapped_.empty()) object.string("positions", swapped_);
    object.number("texts", texts_);
    object.number("tokens", tokens_);
    object.number("left_out_tokens", left_out_);
    object.number("words", word_groups_.size());
    object.number("position_count", positions_);
    object.numbers<double>("position", position_);
    object.numbers<double>("word", word_);
    object.numbers<double>("both", both_);
    object.numbers<double>("neither", neither_);
    return object.take();
  }

  Page page(const std::string& model) const {
    Page page("Variance explained by position and by word",
              model + ", " + with_commas(tokens_) + " tokens of " + with_commas(texts_) + " texts, " +
                  with_commas(word_groups_.size()) + " words, special tokens left out");
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
    return page;
  }

  std::optional<size_t> words_;
  std::string html_;
  std::string swapped_;                                // the positions of --positions
  std::optional<analysis::TwoWayVariance> sums_;       // by position and word, for each layer
  std::unordered_map<int32_t, uint32_t> word_groups_;  // by id
  size_t texts_ = 0;
  size_t tokens_ = 0;
  size_t left_out_ = 0;
  size_t positions_ = 0;
  std::vector<double> position_, word_, both_, neither_;  // shares of the variance, by layer
};

}  // namespace

std::unique_ptr<Command> make_probe() { return std::make_unique<Probe>(); }

}  // namespace bert::cli
