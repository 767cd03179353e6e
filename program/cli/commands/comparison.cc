#include "program/cli/commands/comparison.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "bert/labels.h"
#include "program/cli/input/input.h"
#include "program/cli/input/line_reader.h"
#include "program/cli/input/sequences.h"
#include "program/cli/output/console.h"
#include "program/cli/run/run_summary.h"
#include "program/drawings/sample_texts.h"

namespace bert::cli {
namespace {

// An input of texts in memory, without progress and remarks.
class NoInput : public Input {
 public:
  State next(Item&, Wait) override { return State::kEnd; }
};

std::vector<Item> own_items() {
  std::vector<Item> items;
  for (const std::string_view text : sample_texts()) {
    items.push_back({});
    items.back().source.number = items.size();
    items.back().text = text;
  }
  return items;
}

std::vector<Item> read_items(Input& input, Console& console) {
  std::vector<Item> items;
  for (Item item; input.next(item, TextSource::kForever) == Input::State::kItem;) items.push_back(item);
  if (const std::string remark = input.remark(); !remark.empty()) console.note(remark);
  return items;
}

// Returns the model's name with its precision, and with its positions if they differ from the other model's.
std::string described(const Model& model, const Model& other) {
  const std::string positions = model.config().described_positions();
  return model_name(model) + " (" + model.describe().precision +
         (positions == other.config().described_positions() ? "" : ", positions " + positions) + ")";
}

constexpr size_t kScore = 4, kFirst = 5, kSecond = 6;

std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> columns;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    columns.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return columns;
}

// Reads pairs with a score, as in the STS benchmark: lines of tab-separated columns: the score is the fifth column, the
// sentences are the sixth and the seventh; further columns are ignored. There is no quoting. Throws InputError with the
// line, also for a file without pairs.
std::vector<RatedPair> read_sts(const std::string& name) {
  LineReader lines(name);
  std::vector<RatedPair> pairs;
  const auto refuse = [&](const std::string& what) {
    return InputError(in_quotes(name) + ", line " + std::to_string(pairs.size() + 1) + ": " + what);
  };
  for (std::string line; lines.next(line, TextSource::kForever) == TextSource::State::kItem;) {
    const std::vector<std::string> columns = columns_of(line);
    if (columns.size() <= kSecond) {
      throw refuse(std::to_string(columns.size()) + " tab-separated columns, expected 7 or more");
    }
    const std::string& text = columns[kScore];
    RatedPair pair{columns[kFirst], columns[kSecond], 0};
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), pair.score);
    if (error != std::errc() || rest != text.data() + text.size() || !std::isfinite(pair.score)) {
      throw refuse("found " + in_quotes(text) + " in the fifth column, expected a number");
    }
    pairs.push_back(std::move(pair));
  }
  if (pairs.empty()) throw InputError(in_quotes(name) + ": empty, expected pairs of sentences");
  return pairs;
}

}  // namespace

void declare_comparison(OptionTable& table, Options& options, ComparedInput& input) {
  declare_input(table, options);
  table.text("--sts", input.sts, "FILE",
             "also rate pairs of sentences: lines of tab-separated columns, the score in the fifth, the sentences in "
             "the sixth and seventh, as in STS-B");
  input.labels.declare(table, "the labels to look for in the texts, for a model that reads labels");
  table.fraction("--threshold", input.threshold, "with --labels, the score that an entity must exceed (default: 0.5)");
  table.begin_group("Output");
  declare_drawn_files(table, input.drawn);
}

void require_no_comparison(const Options& options, const ComparedInput& input, const char* other) {
  for (const auto& [name, is_given] : {std::pair{"--input", !options.inputs.empty()},
                                       {"--jsonl", options.jsonl},
                                       {"--sts", !input.sts.empty()},
                                       {"--labels", input.labels.given()},
                                       {"--threshold", options.given.contains("--threshold")},
                                       {"--html", !input.drawn.html.empty()},
                                       {"--svg", !input.drawn.svg.empty()}}) {
    if (is_given) throw UsageError(std::string(name) + " is for a comparison: it needs " + other);
  }
}

void require_labels(const Model& model, const ComparedInput& input) {
  const bool reads = reads_labels(model, LabelTask::kEntities) || reads_labels(model, LabelTask::kClasses);
  if (reads && !input.labels.given()) {
    throw UsageError("the model reads labels: a comparison needs those that are looked for, --labels A,B,…");
  }
  if (!reads && input.labels.given()) throw UsageError("--labels: the model does not read labels");
}

Comparison compare(const Model& model, const Model& reference, const Options& options, const ComparedInput& input,
                   const Output& output, Console& console) {
  require_labels(reference, input);
  settle_pooling(reference, {}, console);
  const bool own_texts = options.inputs.empty();
  const std::vector<Item> items = own_texts ? own_items() : read_items(*open_input(options), console);
  const std::vector<TextItem> texts(items.begin(), items.end());
  const NoInput none;
  RunSummary summary(none, output, console);
  ComparisonOptions comparison;
  comparison.texts = text_options(model_token_rules(options, reference));
  if (!input.sts.empty()) comparison.pairs = read_sts(input.sts);
  if (input.labels.given()) comparison.labels = input.labels.labels();
  comparison.threshold = input.threshold;
  comparison.seen = [&](const TextResult& result) {
    Sequence sequence;
    static_cast<TextResult&>(sequence) = result;
    sequence.source = items[result.input.index].source;
    summary.count(sequence);
  };
  comparison.name_of = [&](size_t index) { return place_of(items[index].source); };
  Comparison result;
  static_cast<ModelComparison&>(result) = compare_models(model, reference, texts, comparison);
  result.model = described(model, reference);
  result.reference = described(reference, model);
  result.own_texts = own_texts;
  result.least_similar_number = items[result.least_similar].source.number;
  result.status = summary.finish();
  return result;
}

}  // namespace bert::cli
