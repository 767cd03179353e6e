// The command similarity: the cosine of two texts' vectors, or what the model's files name, or the score of the kinds
// that --kind names, for two texts of the command line or for each record of an --input with its "text" and "pair";
// for more texts, or an input's lines, of each with all the others. With --explain what the score is the sum of.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "tools/cli/command.h"
#include "tools/cli/commands/vector_score.h"
#include "tools/cli/common.h"
#include "tools/cli/output/explained.h"
#include "tools/cli/output/results.h"
#include "tools/cli/run/run_summary.h"

namespace bert::cli {
namespace {

// The two texts of each pair as separate items, the first before the second.
class TwoTexts : public InputOver {
 public:
  using InputOver::InputOver;

  State next(Item& item, Wait wait) override {
    if (second_.has_value()) {
      item = std::move(*second_);
      second_.reset();
      return State::kItem;
    }
    const State state = input_.next(item, wait);
    if (state != State::kItem) return state;
    if (item.ids.has_value()) item.fail("similarity needs \"text\" and \"pair\", not \"ids\"");
    if (!item.pair.has_value()) item.fail("similarity needs a \"pair\" next to the \"text\"");
    second_ = item;
    if (item.pair.has_value()) second_->text = *item.pair;
    item.pair.reset();
    second_->pair.reset();
    if (item.source.line == 0) ++second_->source.number;  // on the command line each has a number
    return state;
  }

 private:
  std::optional<Item> second_;
};

class Similarity : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_input(table, options, kTextLines);
    table.begin_group("Results");
    table.number("--nearest", nearest_, "of many texts: the N most similar to each, in place of all", 1);
    declare_model(table, options);
    declare_positions(table, options);
    declare_pooling(table, embed_);
    declare_kinds(table, kind_, "dense");
    declare_weights(table, kind_);
    declare_lengths(table, options);
    declare_truncation(table, options);
    declare_output(table, options,
                   {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl, OutputFormat::kNpz});
    declare_batches(table, options);
    declare_explain(table, explain_, "of two TEXTs: what the score is the sum of, or what it is without each word");
  }

  int run(Console& console) override {
    const bool many = options.inputs.empty() ? options.texts.size() > 2 : !options.has_records();
    if (nearest_ && !many)
      throw UsageError("--nearest is for more than two TEXTs, or --input FILE with a text on each line");
    check_kind(kind_, embed_);
    check_explain(options, explain_);
    if (explain_.wanted) return run_explained(console);
    return many ? run_many(console) : run_pairs(console);
  }

 private:
  int run_pairs(Console& console) {
    const std::unique_ptr<Input> pairs = open_pairs();
    TwoTexts texts(*pairs);
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    settle_score(model, console);

    RunSummary summary(texts, output, console);
    JsonResults json(output, options.format);
    std::vector<Sequence> two;
    Sequences sequences(texts, model, score_->request(), embed_token_rules(options, model, embed_.prompt.has_value()));
    for (Sequence sequence; sequences.next(sequence);) {
      two.push_back(std::move(sequence));
      if (two.size() < 2) continue;
      const Sequence both = joined(two[0], two[1]);
      write(both, both.error ? 0 : score_->score(two[0].vectors, two[1].vectors), output, json);
      summary.count(both, two);
      two.clear();
      if (!sequences.ready()) output.flush();
    }
    json.finish();
    return summary.finish(output, model);
  }

  int run_explained(Console& console) {
    if (!options.inputs.empty() || options.texts.size() != 2) throw UsageError("--explain is for two TEXTs");
    if (kind_.kinds.size() > 1) throw UsageError("--explain is for one kind of vectors");
    const std::unique_ptr<Input> pairs = open_pairs();
    TwoTexts texts(*pairs);
    Output output = open_report(options);
    const Model model = load_model(options, console);
    settle_score(model, console);
    RunSummary summary(texts, output, console);
    std::vector<Sequence> two;
    TokenRules rules = embed_token_rules(options, model, embed_.prompt.has_value());
    rules.tokenize.only_ids = false;
    Sequences sequences(texts, model, score_->request(), rules);
    for (Sequence sequence; sequences.next(sequence);) two.push_back(std::move(sequence));
    const Sequence both = joined(two[0], two[1]);
    if (both.error) throw InputError(both.error->what());
    std::vector<ExplainedResult> results;
    results.push_back({"", Explanation(explain_score(model, score_->request(), two[0], two[1]))});
    const Explanation& why = results.front().explanation;
    draw_explanations(explain_.drawn, two_texts(two[0].text, two[1].text) + " — " + name_on_page(model), results);
    if (options.format == OutputFormat::kNpz) {
      write_arrays(output, results);
    } else if (options.format == OutputFormat::kText) {
      output.write(why.findings().text(output.style()) + "\n");
    } else {
      JsonWriter object = begin_result(both);
      object.number("similarity", score_->score(two[0].vectors, two[1].vectors));
      add_function(object);
      object.member("explanation") += why.json();
      add_token_counts(object, both);
      output.write(object.take() + "\n");
    }
    summary.count(both, two);
    return summary.finish(output, model);
  }

  void settle_score(const Model& model, Console& console) {
    score_.emplace(model, embed_, kind_, console);
    if (is_cosine()) return;
    const bool is_negative = score_->name() == name(SimilarityFunction::kEuclidean) ||
                             score_->name() == name(SimilarityFunction::kManhattan);
    console.note("the similarity is " + score_->name() + (kind_.kinds.size() > 1 ? "" : ", as the model's files say") +
                 (is_negative ? ": a negative distance" : ""));
  }

  bool is_cosine() const { return score_->name() == name(SimilarityFunction::kCosine); }

  // All vectors are needed before the first result.
  int run_many(Console& console) {
    const std::unique_ptr<Input> input = open_input(options);
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    settle_score(model, console);
    RunSummary summary(*input, output, console);
    std::vector<Sequence> texts;
    std::vector<TextVectors> vectors;
    Sequences sequences(*input, model, score_->request(), embed_token_rules(options, model, embed_.prompt.has_value()));
    for (Sequence sequence; sequences.next(sequence);) {
      summary.count(sequence);
      vectors.push_back(std::move(sequence.vectors));
      texts.push_back(std::move(sequence));
    }
    JsonResults json(output, options.format);
    for (size_t i = 0; i < texts.size(); ++i) write_row(texts, vectors, i, output, json);
    json.finish();
    return summary.finish(output, model);
  }

  // One text with all others: a number for each text in order, or the nearest ones. A failed text is left out of the
  // nearest; its number is null.
  void write_row(const std::vector<Sequence>& texts, const std::vector<TextVectors>& vectors, size_t row,
                 Output& output, JsonResults& json) const {
    const Sequence& sequence = texts[row];
    const bool as_text = options.format == OutputFormat::kText;
    if (sequence.error) return as_text ? output.write("\n") : json.add(error_object(sequence));
    std::vector<std::pair<size_t, double>> others;
    JsonWriter object = begin_result(sequence);
    std::string line;
    std::string numbers;
    for (size_t i = 0; i < texts.size(); ++i) {
      const bool failed = texts[i].error.has_value();
      const double value = failed ? 0 : score_->score(vectors[row], vectors[i]);
      if (!failed && i != row) others.emplace_back(i, value);
      line += (line.empty() ? "" : " ") + (failed ? "-" : fixed(value, 6));
      numbers += numbers.empty() ? "" : ",";
      if (failed) {
        numbers += "null";
      } else {
        append_number(numbers, value);
      }
    }
    if (nearest_) {
      std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
      others.resize(std::min(others.size(), *nearest_));
      line.clear();
      numbers.clear();
      for (const auto& [index, value] : others) {
        line += (line.empty() ? "" : "  ") + std::to_string(index) + " " + fixed(value, 6);
        JsonWriter one;
        one.number("index", index);
        one.number("similarity", value);
        numbers += (numbers.empty() ? "" : ",") + one.take();
      }
    }
    if (as_text) return output.write(line + "\n");
    object.member(nearest_ ? "nearest" : "similarities") += "[" + numbers + "]";
    add_function(object);
    add_token_counts(object, sequence);
    json.add(object.take());
  }

  std::unique_ptr<Input> open_pairs() {
    if (options.inputs.empty() && options.texts.size() != 2) {
      throw UsageError("expected two or more TEXTs, or --input FILE; " +
                       (options.texts.empty() ? "none" : std::to_string(options.texts.size())) + " given");
    }
    return open_input(with_second_text_as_pair(options));
  }

  // Both texts in one: the first error, the sums of the cut and of the unknown tokens.
  static Sequence joined(const Sequence& a, const Sequence& b) {
    Sequence both = a;
    if (!both.error && b.error) {
      both.error = b.error;
      both.source = b.source;
    }
    both.encoding.truncated_tokens += b.encoding.truncated_tokens;
    both.unknown_tokens += b.unknown_tokens;
    return both;
  }

  void write(const Sequence& both, double value, Output& output, JsonResults& json) const {
    if (options.format == OutputFormat::kText) {
      output.write(both.error ? "\n" : fixed(value, 6) + "\n");
    } else if (both.error) {
      json.add(error_object(both));
    } else {
      JsonWriter object = begin_result(both);
      object.number("similarity", value);
      add_function(object);
      add_token_counts(object, both);
      json.add(object.take());
    }
  }

  void add_function(JsonWriter& object) const {
    if (!is_cosine()) object.string("function", score_->name());
  }

  EmbedOptions embed_;
  KindOptions kind_;
  ExplainOptions explain_;
  std::optional<VectorScore> score_;
  std::optional<size_t> nearest_;
};

}  // namespace

std::unique_ptr<Command> make_similarity() { return std::make_unique<Similarity>(); }

}  // namespace bert::cli
