// The command explain: what word, position and segment give each token, what LayerNorm makes of their sum, and how far
// the token moves in each layer.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/command.h"
#include "tools/cli/explore/html/charts.h"
#include "tools/cli/explore/html/page.h"
#include "tools/cli/explore/question.h"
#include "tools/cli/results.h"
#include "tools/cli/run_summary.h"
#include "tools/cli/table.h"

namespace bert::cli {
namespace {

// One of the vectors that are added up, for one token.
struct Part {
  double norm = 0;
  double share = 0;   // of the sum's squared length: part · sum / |sum|²; the parts' shares add up to 1
  double cosine = 0;  // to the sum
};

struct TokenStory {
  std::optional<Part> word, position, segment;
  double sum_norm = 0;
  double normalized_norm = 0;
  double normalized_cosine = 0;  // of the sum before and after LayerNorm
  std::vector<double> moved;     // by layer: the distance to the layer before, as a part of the length there
};

std::optional<Part> part_of(const std::vector<float>& values, const EmbeddingParts& parts, size_t token) {
  if (values.empty()) return std::nullopt;
  const std::span<const float> part = analysis::Rows{values, parts.hidden}[token];
  const std::span<const float> sum = analysis::Rows{parts.sum, parts.hidden}[token];
  const double square = analysis::dot(sum, sum);
  return Part{analysis::norm(part), square > 0 ? analysis::dot(part, sum) / square : 0, analysis::cosine(part, sum)};
}

std::vector<TokenStory> tell(const EmbeddingParts& parts, const EncodedSequence& encoded) {
  std::vector<TokenStory> stories(parts.tokens);
  for (size_t t = 0; t < parts.tokens; ++t) {
    TokenStory& story = stories[t];
    story.word = part_of(parts.word, parts, t);
    story.position = part_of(parts.position, parts, t);
    story.segment = part_of(parts.segment, parts, t);
    const std::span<const float> sum = analysis::Rows{parts.sum, parts.hidden}[t];
    const std::span<const float> normalized = analysis::Rows{parts.normalized, parts.hidden}[t];
    story.sum_norm = analysis::norm(sum);
    story.normalized_norm = analysis::norm(normalized);
    story.normalized_cosine = analysis::cosine(sum, normalized);
    for (size_t layer = 1; layer < layer_count(encoded); ++layer) {
      story.moved.push_back(
          analysis::relative_distance(layer_rows(encoded, layer - 1)[t], layer_rows(encoded, layer)[t]));
    }
  }
  return stories;
}

class Explain : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_pair(table, options);
    declare_question(table, options, html_);
  }

  int run(Console& console) override {
    require_one_text(options, "explain");
    require_own_file(options, html_);
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    const Sequence sequence = only_sequence(options, model, html_, console);
    const TokenSequence view = model.sequence(sequence.encoding);
    const EncodedSequence encoded = model.encode({&view, 1}, {.hidden_states = true}).front();
    stories_ = tell(model.embedding_parts(view), encoded);
    tokens_ = token_labels(sequence, model);

    write_findings(options, html_, output,
                   {.page = [&] { return page(page_lead(sequence, model)); },
                    .text =
                        [&](bool color) {
                          return "the embedding layer\n" + parts_table().text(color) + "\n" + parts_sentence() +
                                 "\n\n" + "how far each layer moves a token, as a part of its length before\n" +
                                 moves_table().text(color) + "\n" + moves_sentence();
                        },
                    .json = [&] { return json(sequence, model); }});
    return kDone;
  }

 private:
  size_t layers() const { return stories_.front().moved.size(); }

  Table parts_table() const {
    std::vector<Column> columns = {{"#", Align::kRight}, {"token"}};
    for (const char* name : {"word", "position", "segment"}) {
      columns.push_back({std::string(name) + ": norm", Align::kRight});
      columns.push_back({"share", Align::kRight});
      columns.push_back({"cosine", Align::kRight});
    }
    for (const char* name : {"sum: norm", "LayerNorm: norm", "cosine"}) columns.push_back({name, Align::kRight});
    Table table(columns);
    for (size_t t = 0; t < stories_.size(); ++t) {
      const TokenStory& story = stories_[t];
      std::vector<std::string> cells = {std::to_string(t), tokens_[t]};
      for (const std::optional<Part>& part : {story.word, story.position, story.segment}) {
        cells.push_back(part ? fixed(part->norm, 3) : "none");
        cells.push_back(part ? percent(part->share) : "");
        cells.push_back(part ? fixed(part->cosine, 2) : "");
      }
      cells.push_back(fixed(story.sum_norm, 3));
      cells.push_back(fixed(story.normalized_norm, 3));
      cells.push_back(fixed(story.normalized_cosine, 2));
      table.add(cells);
    }
    return table;
  }

  Table moves_table() const {
    std::vector<Column> columns = {{"#", Align::kRight}, {"token"}};
    for (const std::string& layer : counted(1, layers())) columns.push_back({layer, Align::kRight});
    Table table(columns);
    for (size_t t = 0; t < stories_.size(); ++t) {
      std::vector<std::string> cells = {std::to_string(t), tokens_[t]};
      for (const double moved : stories_[t].moved) cells.push_back(fixed(moved, 2));
      table.add(cells);
    }
    return table;
  }

  double mean_share(const std::optional<Part> TokenStory::*part) const {
    double sum = 0;
    for (const TokenStory& story : stories_) sum += (story.*part) ? (story.*part)->share : 0;
    return sum / static_cast<double>(stories_.size());
  }

  std::string parts_sentence() const {
    const auto share = [&](const char* name, const std::optional<Part> TokenStory::*part) {
      return (stories_.front().*part) ? percent(mean_share(part)) + " " + name : "no " + std::string(name);
    };
    std::vector<double> cosines, before, after;
    for (const TokenStory& story : stories_) {
      cosines.push_back(story.normalized_cosine);
      before.push_back(story.sum_norm);
      after.push_back(story.normalized_norm);
    }
    const auto range = [](const std::vector<double>& norms) {
      return fixed(*std::min_element(norms.begin(), norms.end()), 1) + " to " +
             fixed(*std::max_element(norms.begin(), norms.end()), 1);
    };
    return "On average the sum is " + share("word", &TokenStory::word) + ", " +
           share("position", &TokenStory::position) + " and " + share("segment", &TokenStory::segment) +
           ". LayerNorm takes lengths of " + range(before) + " to lengths of " + range(after) +
           " and keeps a cosine of " + fixed(mean(cosines), 2) + " to the sum.";
  }

  std::string moves_sentence() const {
    std::vector<double> means;
    for (size_t layer = 0; layer < layers(); ++layer) {
      double sum = 0;
      for (const TokenStory& story : stories_) sum += story.moved[layer];
      means.push_back(sum / static_cast<double>(stories_.size()));
    }
    const auto most = std::max_element(means.begin(), means.end()),
               least = std::min_element(means.begin(), means.end());
    return "Layer " + std::to_string(most - means.begin() + 1) + " moves the tokens farthest (" + fixed(*most, 2) +
           " of their length on average), layer " + std::to_string(least - means.begin() + 1) + " least (" +
           fixed(*least, 2) + ").";
  }

  std::string json(const Sequence& sequence, const Model& model) const {
    JsonObject object = begin_result(sequence);
    add_encoding(object, sequence, model.tokenizer());
    std::string& list = object.member("embedding");
    list += '[';
    for (const TokenStory& story : stories_) {
      JsonObject token;
      const auto add = [&](const char* name, const std::optional<Part>& part) {
        if (!part) {
          token.member(name) += "null";
          return;
        }
        JsonObject numbers;
        numbers.number("norm", part->norm);
        numbers.number("share", part->share);
        numbers.number("cosine", part->cosine);
        token.member(name) += numbers.take();
      };
      add("word", story.word);
      add("position", story.position);
      add("segment", story.segment);
      token.number("sum_norm", story.sum_norm);
      token.number("normalized_norm", story.normalized_norm);
      token.number("normalized_cosine", story.normalized_cosine);
      if (list.back() != '[') list += ',';
      list += token.take();
    }
    list += ']';
    std::string& moved = object.member("moved");
    moved += '[';
    for (size_t layer = 0; layer < layers(); ++layer) {
      moved += layer == 0 ? "[" : ",[";
      for (size_t t = 0; t < stories_.size(); ++t) {
        if (t > 0) moved += ',';
        append_number(moved, stories_[t].moved[layer]);
      }
      moved += ']';
    }
    moved += ']';
    return object.take();
  }

  Page page(const std::string& lead) const {
    Page page("What goes into a token, and where it goes", lead);
    page.section("Word, position and segment",
                 "The embedding layer adds three vectors for each token. A bar shows what each gives of the sum. " +
                     parts_sentence());
    page.legend({{Ink::kBlue, "word"}, {Ink::kOrange, "position"}, {Ink::kGreen, "segment"}});
    BarChart bars{.title = "Shares of word, position and segment in each token's embedding", .rows = {}};
    for (size_t t = 0; t < stories_.size(); ++t) {
      BarChart::Row row{tokens_[t], {}, ""};
      const auto add = [&](const std::optional<Part>& part, Ink ink) {
        if (!part) return;
        row.parts.push_back({part->share, ink});
        if (!row.number.empty()) row.number += part->share < 0 ? " - " : " + ";
        row.number += percent(row.number.empty() ? part->share : std::abs(part->share));
      };
      add(stories_[t].word, Ink::kBlue);
      add(stories_[t].position, Ink::kOrange);
      add(stories_[t].segment, Ink::kGreen);
      bars.rows.push_back(std::move(row));
    }
    page.drawing(draw_bar_chart(bars));
    page.table(parts_table());
    page.section("How far each layer moves a token",
                 "The distance between a token's vector after a layer and before it, as a part of its length before. " +
                     moves_sentence());
    NumberMap map{.title = "How far each layer moves each token",
                  .rows_are = "token",
                  .columns_are = "layer",
                  .rows = tokens_,
                  .columns = counted(1, layers()),
                  .values = {}};
    for (const TokenStory& story : stories_)
      map.values.insert(map.values.end(), story.moved.begin(), story.moved.end());
    page.drawing(draw_number_map(map));
    return page;
  }

  std::string html_;
  std::vector<TokenStory> stories_;  // a token each
  std::vector<std::string> tokens_;
};

}  // namespace

std::unique_ptr<Command> make_explain() { return std::make_unique<Explain>(); }

}  // namespace bert::cli
