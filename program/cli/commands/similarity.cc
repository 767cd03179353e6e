// The command similarity: prints the cosine of two texts' vectors, or the function that the model's files name, or the
// score of the kinds that --kind names: for two texts of the command line, or for each record of an --input with its
// "text" and "pair". For more texts, for an input's lines, or with --nearest, it compares each text with all others.
// --explain shows the terms of the score.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bert/vectors.h"
#include "program/cli/command.h"
#include "program/cli/commands/vector_score.h"
#include "program/cli/common.h"
#include "program/cli/output/csv.h"
#include "program/cli/output/explained.h"
#include "program/cli/output/results.h"
#include "program/cli/run/run_summary.h"
#include "program/cli/run/vector_rows.h"

namespace bert::cli {
namespace {

// Yields the two texts of each pair as separate items, the first before the second.
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
    if (item.source.line == 0) ++second_->source.number;  // on the command line each text has its own number
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
    table.text("--vectors", vectors_, "FILE",
               "cosines of vectors in numpy's .npy, one for each text of --input, or without texts");
    declare_model(table, options);
    declare_positions(table, options);
    declare_pooling(table, embed_);
    declare_kinds(table, kind_, "dense");
    declare_weights(table, kind_);
    declare_lengths(table, options);
    declare_truncation(table, options);
    declare_output(
        table, options,
        {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl, OutputFormat::kCsv, OutputFormat::kNpz});
    declare_batches(table, options);
    declare_explain(table, explain_, "for two TEXTs, the parts whose sum the score is, or the score without each word");
  }

  int run(Console& console) override {
    const bool many =
        !vectors_.empty() || (options.inputs.empty() ? options.texts.size() > 2 : nearest_ || !options.has_records());
    if (nearest_ && !many) throw UsageError("--nearest is for more than two TEXTs, or the texts of --input");
    if (!vectors_.empty()) return run_vectors(console);
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
    if (options.format == OutputFormat::kCsv) csv_.emplace(output, options, std::vector<std::string>{"similarity"});
    std::vector<Sequence> two;
    Sequences sequences(texts, model, request(), embed_token_rules(options, model, embed_.prompt.has_value()));
    for (Sequence sequence; sequences.next(sequence);) {
      two.push_back(std::move(sequence));
      if (two.size() < 2) continue;
      const Sequence both = joined(two[0], two[1]);
      write(both, both.error ? 0 : score_->similarity(two[0].vectors(), two[1].vectors()).score, output, json);
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
    if (options.format == OutputFormat::kCsv) throw UsageError("--explain has no csv; json has all terms");
    const std::unique_ptr<Input> pairs = open_pairs();
    TwoTexts texts(*pairs);
    Output output = open_report(options);
    const Model model = load_model(options, console);
    settle_score(model, console);
    RunSummary summary(texts, output, console);
    std::vector<Sequence> two;
    TokenRules rules = embed_token_rules(options, model, embed_.prompt.has_value());
    rules.tokenize.only_ids = false;
    Sequences sequences(texts, model, request(), rules);
    for (Sequence sequence; sequences.next(sequence);) two.push_back(std::move(sequence));
    const Sequence both = joined(two[0], two[1]);
    if (both.error) throw InputError(both.error->what());
    std::vector<ExplainedResult> results;
    results.push_back({"", Explanation(explain_score(model, request(), two[0], two[1]))});
    const Explanation& why = results.front().explanation;
    draw_explanations(explain_.drawn, two_texts(two[0].input.text, two[1].input.text) + " — " + name_on_page(model),
                      results);
    if (options.format == OutputFormat::kNpz) {
      write_arrays(output, results);
    } else if (options.format == OutputFormat::kText) {
      output.write(why.findings().text(output.style()) + "\n");
    } else {
      JsonWriter object = begin_result(both);
      object.number("similarity", score_->similarity(two[0].vectors(), two[1].vectors()).score);
      add_function(object);
      object.member("explanation") += why.json();
      add_token_counts(object, both);
      output.write(object.take() + "\n");
    }
    summary.count(both, two);
    return summary.finish(output, model);
  }

  void settle_score(const Model& model, Console& console) {
    score_.emplace(vector_score(model, embed_, kind_, console));
    if (is_cosine()) return;
    const bool is_negative = score_->score_name() == name(SimilarityFunction::kEuclidean) ||
                             score_->score_name() == name(SimilarityFunction::kManhattan);
    console.note("the similarity is " + score_->score_name() +
                 (kind_.kinds.size() > 1 ? "" : ", as the model's files say") +
                 (is_negative ? ": a negative distance" : ""));
  }

  const VectorRequest& request() const { return std::get<VectorRequest>(score_->task()); }
  bool is_cosine() const { return !score_ || score_->score_name() == name(SimilarityFunction::kCosine); }

  // Returns the similarities of one text with all texts.
  using Similarities = std::function<std::vector<double>(size_t row)>;

  // Needs all vectors before the first result.
  int run_many(Console& console) {
    const std::unique_ptr<Input> input = open_input(options);
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    settle_score(model, console);
    RunSummary summary(*input, output, console);
    std::vector<Sequence> texts;
    std::vector<TextVectors> vectors;
    TokenRules rules = embed_token_rules(options, model, embed_.prompt.has_value());
    rules.no_ids = kNeedsText;
    rules.no_pair = kNeedsNoPair;
    Sequences sequences(*input, model, request(), rules);
    for (Sequence sequence; sequences.next(sequence);) {
      summary.count(sequence);
      vectors.push_back(sequence.vectors());
      texts.push_back(std::move(sequence));
    }
    write_rows(texts, output, [&](size_t row) {
      std::vector<double> values;
      for (size_t i = 0; i < texts.size(); ++i) {
        values.push_back(texts[i].error ? 0 : score_->similarity(vectors[row], vectors[i]).score);
      }
      return values;
    });
    return summary.finish(output, model);
  }

  // Prints the cosines of a file's vectors.
  int run_vectors(Console& console) {
    if (!kind_.is_dense() || explain_.wanted) throw UsageError("--vectors has neither --kind nor --explain");
    Output output(options.output, Output::Access::kStream);
    const VectorRows rows = read_vector_file(vectors_, options, console);
    std::vector<Sequence> texts(rows.items.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      texts[i].input.text = rows.items[i].text;
      texts[i].source = rows.items[i].source;
      if (rows.items[i].error) texts[i].error.emplace(ErrorCode::kInvalidText, *rows.items[i].error);
    }
    write_rows(texts, output, [&](size_t item) {
      const auto row = std::lower_bound(rows.indices.begin(), rows.indices.end(), item) - rows.indices.begin();
      const std::span<const float> vectors = rows.vectors;
      std::vector<float> cosines(rows.rows());
      similarities(SimilarityFunction::kCosine, vectors.subspan(static_cast<size_t>(row) * rows.size, rows.size),
                   vectors, rows.size, cosines);
      std::vector<double> values(texts.size());
      for (size_t i = 0; i < rows.rows(); ++i) values[rows.indices[i]] = cosines[i];
      return values;
    });
    output.commit();
    return rows.status;
  }

  void write_rows(const std::vector<Sequence>& texts, Output& output, const Similarities& similarities_of) {
    JsonResults json(output, options.format);
    if (options.format == OutputFormat::kCsv) {
      csv_.emplace(output, options, std::vector<std::string>{"other", "similarity", "text"});
    }
    for (size_t row = 0; row < texts.size(); ++row) {
      const Sequence& sequence = texts[row];
      if (csv_ && sequence.error) {
        csv_->add_error(row, sequence.source, sequence.error->what());
        continue;
      }
      if (csv_) {
        const std::vector<double> values = similarities_of(row);
        for (const auto& [other, value] : nearest(texts, row, values)) {
          csv_->add(row, sequence.source, {std::to_string(other), number_cell(value), texts[other].input.text});
        }
        continue;
      }
      const bool as_text = options.format == OutputFormat::kText;
      if (nearest_ && as_text) output.write((row == 0 ? "" : "\n") + heading(sequence) + "\n");
      if (sequence.error && as_text) {
        output.write(nearest_ ? "" : "\n");
      } else if (sequence.error) {
        json.add(error_object(sequence));
      } else if (as_text) {
        const std::vector<double> values = similarities_of(row);
        output.write(nearest_ ? nearest_table(texts, nearest(texts, row, values)) : values_line(texts, values));
      } else {
        json.add(row_object(texts, row, similarities_of(row)));
      }
    }
    json.finish();
  }

  // Returns the text, or the vector's number from 0.
  std::string heading(const Sequence& sequence) const {
    return has_texts() ? one_line(sequence.input.text) : "vector " + std::to_string(sequence.source.number - 1);
  }

  bool has_texts() const { return vectors_.empty() || !options.inputs.empty(); }

  // A failed text is not among the nearest; its number is null.
  std::string row_object(const std::vector<Sequence>& texts, size_t row, const std::vector<double>& values) const {
    JsonWriter object = begin_result(texts[row]);
    if (nearest_) {
      append_list(object.member("nearest"), nearest(texts, row, values), [&](std::string& list, const auto& other) {
        JsonWriter one;
        one.number("index", other.first);
        one.number("similarity", other.second);
        if (has_texts()) one.string("text", texts[other.first].input.text);
        list += one.take();
      });
    } else {
      std::string& list = object.member("similarities");
      for (size_t i = 0; i < texts.size(); ++i) {
        list += i == 0 ? '[' : ',';
        if (texts[i].error) {
          list += "null";
        } else {
          append_number(list, values[i]);
        }
      }
      list += ']';
    }
    add_function(object);
    if (vectors_.empty()) add_token_counts(object, texts[row]);
    return object.take();
  }

  static std::string values_line(const std::vector<Sequence>& texts, const std::vector<double>& values) {
    std::string line;
    for (size_t i = 0; i < texts.size(); ++i) {
      line += (i == 0 ? "" : " ") + (texts[i].error ? "-" : fixed(values[i], 6));
    }
    return line + "\n";
  }

  // Returns the most similar other texts, best first: --nearest of them, or all.
  std::vector<std::pair<size_t, double>> nearest(const std::vector<Sequence>& texts, size_t row,
                                                 const std::vector<double>& values) const {
    std::vector<std::pair<size_t, double>> others;
    for (size_t i = 0; i < texts.size(); ++i) {
      if (i != row && !texts[i].error) others.emplace_back(i, values[i]);
    }
    const auto count = static_cast<ptrdiff_t>(std::min(others.size(), nearest_.value_or(others.size())));
    std::partial_sort(others.begin(), others.begin() + count, others.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    others.resize(static_cast<size_t>(count));
    return others;
  }

  std::string nearest_table(const std::vector<Sequence>& texts,
                            const std::vector<std::pair<size_t, double>>& others) const {
    Table table({{is_cosine() ? "cosine" : score_->score_name(), Align::kRight},
                 {has_texts() ? "text" : "vector", Align::kRight},
                 {""}});
    for (const auto& [index, value] : others) {
      const size_t number = has_texts() ? texts[index].source.number : index;
      table.add({fixed(value, 6), std::to_string(number), one_line(texts[index].input.text)});
    }
    return table.text({});
  }

  std::unique_ptr<Input> open_pairs() {
    if (options.inputs.empty() && options.texts.size() != 2) {
      throw UsageError("expected two or more TEXTs, or --input FILE; " +
                       (options.texts.empty() ? "none" : std::to_string(options.texts.size())) + " given");
    }
    return open_input(with_second_text_as_pair(options));
  }

  // Returns both texts as one: the first error, and the sums of the truncated and of the unknown tokens.
  static Sequence joined(const Sequence& a, const Sequence& b) {
    Sequence both = a;
    if (!both.error && b.error) {
      both.error = b.error;
      both.source = b.source;
    }
    both.tokens.encoding.truncated_tokens += b.tokens.encoding.truncated_tokens;
    both.tokens.unknown_tokens += b.tokens.unknown_tokens;
    return both;
  }

  void write(const Sequence& both, double value, Output& output, JsonResults& json) {
    if (csv_ && both.error) {
      csv_->add_error(both.input.index / 2, both.source, both.error->what());
    } else if (csv_) {
      csv_->add(both.input.index / 2, both.source, {number_cell(value)});
    } else if (options.format == OutputFormat::kText) {
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
    if (!is_cosine()) object.string("function", score_->score_name());
  }

  EmbedOptions embed_;
  KindOptions kind_;
  ExplainOptions explain_;
  std::optional<Reranker> score_;
  std::optional<CsvResults> csv_;
  std::optional<size_t> nearest_;
  std::string vectors_;
};

}  // namespace

std::unique_ptr<Command> make_similarity() { return std::make_unique<Similarity>(); }

}  // namespace bert::cli
