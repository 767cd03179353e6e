// The commands rerank and choose: one text with many others, each with a score, best first. rerank scores documents for
// a query as the model does (bert/tasks.h, Reranker), or by the vectors that --kind names; choose scores continuations
// of a text and compares them.
#include <algorithm>
#include <functional>

#include "bert/tasks.h"
#include "bert/token_vectors.h"
#include "tools/cli/command.h"
#include "tools/cli/commands/head_command.h"
#include "tools/cli/commands/vector_score.h"
#include "tools/cli/common.h"
#include "tools/cli/output/explained.h"

namespace bert::cli {
namespace {

// Each text of the input as `pair` makes it.
class Pairs : public InputOver {
 public:
  using Pair = std::function<TextItem(const std::string& text)>;
  Pairs(Input& texts, Pair pair) : InputOver(texts), pair_(std::move(pair)) {}

  State next(Item& item, Wait wait) override {
    const State state = input_.next(item, wait);
    if (state != State::kItem) return state;
    if (item.ids) item.fail(kNeedsText);
    if (item.pair) item.fail(kNeedsNoPair);
    TextItem pair = pair_(item.text);
    item.text = std::move(pair.text);
    item.pair = std::move(pair.pair);
    return state;
  }

 private:
  const Pair pair_;
};

struct Ranked {
  size_t index;  // of the input's texts, from 0
  std::string id;
  std::string text;
  double score;
  double order;       // the best has the largest
  Logits logits;      // of a pair
  TextResult result;  // what was scored, to explain it
};

// All windows of the next document: the first one with the counts and the error of all.
bool next_document(Sequences& sequences, std::vector<Sequence>& windows, Sequence& document) {
  windows.clear();
  for (Sequence sequence; (windows.empty() || !windows.back().is_last) && sequences.next(sequence);) {
    windows.push_back(std::move(sequence));
  }
  if (windows.empty()) return false;
  document = windows.front();
  document.window.reset();
  for (size_t i = 1; i < windows.size(); ++i) {
    document.encoding.truncated_tokens += windows[i].encoding.truncated_tokens;
    document.unknown_tokens += windows[i].unknown_tokens;
    if (!document.error) document.error = windows[i].error;
  }
  return true;
}

// Keeps each document's window that fits best, the first of equal ones.
void keep_best_windows(std::vector<Ranked>& ranked) {
  std::vector<Ranked> best;
  for (Ranked& one : ranked) {
    if (best.empty() || best.back().index != one.index) {
      best.push_back(std::move(one));
    } else if (one.order > best.back().order) {
      best.back() = std::move(one);
    }
  }
  ranked = std::move(best);
}

class Rank : public Command {
 public:
  Rank(Head head, const char* member, const char* first, const char* others)
      : head_(head), member_(member), first_(first), others_(others) {}

  void declare(OptionTable& table) override {
    declare_input(table, options, kLoneTextLines);
    table.begin_group("Results");
    table.number("--top-k", top_k_, "results at most (default: all)", 1);
    declare_model(table, options);
    if (head_ == Head::kSequenceClassification) {
      declare_pooling(table, embed_);
      declare_kinds(table, kind_, "by the model: a classifier's score, tokens of a late-interaction model, or dense");
      declare_weights(table, kind_);
      table.text("--relevant-label", relevant_label_, "LABEL",
                 "of a classifier of two labels, the one that is the score (default: 'relevant')");
    }
    declare_lengths(table, options);
    declare_truncation(table, options);
    if (head_ == Head::kSequenceClassification) {
      declare_long_text(table, options, {.windows_become = "of which the best one's score is the document's"});
    } else {
      declare_long_text(table, options);
    }
    std::vector<OutputFormat> formats = {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl};
    const bool can_explain = head_ == Head::kSequenceClassification;
    if (can_explain) formats.push_back(OutputFormat::kNpz);
    declare_output(table, options, formats);
    declare_batches(table, options);
    if (can_explain) {
      declare_explain(table, explain_, "what each score is the sum of, or what it is without each word");
    }
  }

  int run(Console& console) override {
    const size_t least = options.inputs.empty() ? 2 : 1;
    if (options.texts.size() < least || (!options.inputs.empty() && options.texts.size() != 1)) {
      throw UsageError(std::string("expected ") + first_ + " and then " + others_ + ", or " + first_ +
                       " and --input FILE with them");
    }
    const std::string first = options.texts.front();
    Options others = options;
    others.texts.erase(others.texts.begin());
    check_explain(options, explain_);
    if (explain_.wanted && options.has_windows()) throw UsageError("--explain is of whole documents, not of windows");
    const std::unique_ptr<Input> texts = open_input(others);

    Output output = open_report(options);
    const Model model = load_model(options, console);
    lead_ = "“" + one_line(first) + "” — " + name_on_page(model);
    if (head_ == Head::kMultipleChoice) return run_choices(*texts, first, output, model, console);
    check_kind(kind_, embed_);
    if (!kind_.kinds.empty() && !kind_.is_only(VectorKind::kTokens)) {
      if (explain_.wanted && kind_.kinds.size() > 1) throw UsageError("--explain is for one kind of vectors");
      const VectorScore score(model, embed_, kind_, console);
      return run_vectors(*texts, first, {score.name(), score.request()}, score, output, model, console);
    }
    if (kind_.is_only(VectorKind::kTokens)) token_vector_settings(model);  // refuses another model
    const Reranker reranker(model, embed_, relevant_label_);
    if (reranker.method() == RerankMethod::kClassifier) {
      return run_classifier(*texts, first, reranker, output, model, console);
    }
    if (reranker.method() == RerankMethod::kEmbeddings) settle_pooling(model, embed_, console);
    return run_vectors(*texts, first, {reranker.score_name(), reranker.task()}, reranker, output, model, console);
  }

 private:
  // How vectors of a query and of documents are made, and what their score is.
  struct Comparison {
    std::string score;
    TextTask task;
  };

  int run_choices(Input& texts, const std::string& text, Output& output, const Model& model, Console& console) {
    model.require(head_);
    Pairs pairs(texts, [&](const std::string& choice) { return TextItem{.text = text, .pair = choice}; });
    return run_pairs(pairs, text, HeadOptions{head_}, output, model, console, [](std::vector<Ranked>& ranked) {
      std::vector<float> logits;
      for (const Ranked& one : ranked) logits.push_back(one.logits.values[0]);
      const std::vector<double> shares = softmax(logits);
      for (size_t i = 0; i < ranked.size(); ++i) {
        ranked[i].score = shares[i];
        ranked[i].order = static_cast<double>(logits[i]);
      }
    });
  }

  int run_classifier(Input& texts, const std::string& query, const Reranker& reranker, Output& output,
                     const Model& model, Console& console) {
    activation_ = reranker.score_name();
    explained_ = [&](const Ranked& one) {
      return Explanation(explain_relevance(model, one.result, relevant_label_), 1);
    };
    Pairs pairs(texts, [&](const std::string& document) { return reranker.item(query, document); });
    return run_pairs(pairs, query, reranker.task(), output, model, console, [&](std::vector<Ranked>& ranked) {
      for (Ranked& one : ranked) {
        const Relevance relevance = reranker.relevance(one.logits);
        one.score = relevance.score;
        one.order = relevance.logit;
      }
    });
  }

  template <class Score>
  int run_pairs(Input& pairs, const std::string& first, const TextTask& task, Output& output, const Model& model,
                Console& console, const Score& score) {
    check_text(model, first, first_);
    RunSummary summary(pairs, output, console);
    std::vector<Ranked> ranked;
    Sequence all;  // their counts
    TokenRules rules = model_token_rules(options, model);
    // A document is cut beside the whole query.
    rules.tokenize.max_windows = kMostWindows;
    if (rules.windows && !options.truncation) rules.tokenize.truncation = Truncation::kOnlySecond;
    Sequences sequences(pairs, model, task, rules);
    std::vector<Sequence> windows;
    for (Sequence whole; next_document(sequences, windows, whole);) {
      for (const Sequence& window : windows) {
        if (whole.error) break;
        ranked.push_back({whole.source.number - 1, whole.source.id, whole.pair, 0, 0, window.logits, {}});
        if (explain_.wanted) ranked.back().result = window;
      }
      if (!whole.error) count_tokens(whole, all);
      summary.count(whole, windows);
    }
    score(ranked);
    keep_best_windows(ranked);
    return finish(ranked, rules.positions, all, output, model, summary);
  }

  // score: a VectorScore or a Reranker.
  template <class Score>
  int run_vectors(Input& texts, const std::string& query, const Comparison& comparison, const Score& score,
                  Output& output, const Model& model, Console& console) {
    if (options.truncation) throw UsageError("--truncation is for pairs; vectors are of texts alone");
    check_text(model, query, first_);
    activation_ = comparison.score;
    const TextResult asked = query_result(model, comparison.task, query);
    const TextVectors& of_query = asked.vectors;
    explained_ = [&](const Ranked& one) {
      return Explanation(explain_score(model, std::get<VectorRequest>(comparison.task), asked, one.result));
    };
    RunSummary summary(texts, output, console);
    std::vector<Ranked> ranked;
    Sequence all;  // their counts
    TokenRules rules = model_token_rules(options, model);
    rules.no_ids = kNeedsText;
    rules.no_pair = kNeedsNoPair;
    Sequences sequences(texts, model, comparison.task, rules);
    std::vector<Sequence> windows;
    for (Sequence whole; next_document(sequences, windows, whole);) {
      for (const Sequence& window : windows) {
        if (whole.error) break;
        const double value = score.score(of_query, window.vectors);
        ranked.push_back({whole.source.number - 1, whole.source.id, whole.text, value, value, {}, {}});
        if (explain_.wanted) ranked.back().result = window;
      }
      if (!whole.error) count_tokens(whole, all);
      summary.count(whole, windows);
    }
    keep_best_windows(ranked);
    return finish(ranked, rules.positions, all, output, model, summary);
  }

  static TextResult query_result(const Model& model, const TextTask& task, const std::string& text) {
    const TextTaskRunner runner(model, task);
    TextResult result = std::move(runner.cut({.text = text, .role = TextRole::kQuery}).front());
    TextResult* const pass[] = {&result};
    runner.compute(pass);
    if (result.error) throw *result.error;
    return result;
  }

  static void count_tokens(const Sequence& sequence, Sequence& all) {
    all.encoding.truncated_tokens += sequence.encoding.truncated_tokens;
    all.unknown_tokens += sequence.unknown_tokens;
  }

  int finish(std::vector<Ranked>& ranked, const std::string& positions, Sequence& all, Output& output,
             const Model& model, RunSummary& summary) {
    std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) { return a.order > b.order; });
    if (top_k_ && *top_k_ < ranked.size()) ranked.resize(*top_k_);
    all.positions = positions;
    std::vector<ExplainedResult> why;
    if (explain_.wanted) {
      for (const Ranked& one : ranked) {
        why.push_back({std::to_string(one.index) + ": " + one_line(one.text), explained_(one)});
      }
      draw_explanations(explain_.drawn, lead_, why);
    }
    if (options.format == OutputFormat::kNpz) {
      write_arrays(output, why);
    } else {
      write(ranked, why, all, output);
    }
    return summary.finish(output, model);
  }

  // why: empty, or of each.
  void write(const std::vector<Ranked>& ranked, const std::vector<ExplainedResult>& why, const Sequence& all,
             Output& output) const {
    if (options.format == OutputFormat::kText) {
      Table table({{"score", Align::kRight}, {"index", Align::kRight}, {"text"}});
      for (const Ranked& one : ranked) {
        table.add({fixed(one.score, 6), std::to_string(one.index), one_line(one.text)});
      }
      output.write(table.text({}));
      return write_texts(output, why);
    }
    JsonWriter object = begin_result(all);
    append_list(object.member(member_), ranked, [&](std::string& text, const Ranked& one) {
      JsonWriter result;
      if (!one.id.empty()) result.member("id") += one.id;
      result.number("index", one.index);
      result.number("score", one.score);
      if (!why.empty()) {
        result.member("explanation") += why[static_cast<size_t>(&one - ranked.data())].explanation.json();
      }
      text += result.take();
    });
    if (!activation_.empty()) object.string("activation", activation_);
    add_token_counts(object, all);
    output.write(object.take() + "\n");
  }

  Head head_;
  const char* member_;
  const char* first_;
  const char* others_;
  std::optional<size_t> top_k_;
  std::optional<std::string> relevant_label_;
  EmbedOptions embed_;
  KindOptions kind_;
  ExplainOptions explain_;
  std::function<Explanation(const Ranked& one)> explained_;
  std::string lead_;        // of the page
  std::string activation_;  // of rerank: applied to a logit, or how vectors are compared
};

}  // namespace

std::unique_ptr<Command> make_rerank() {
  return std::make_unique<Rank>(Head::kSequenceClassification, "results", "a QUERY", "DOCUMENTs");
}

std::unique_ptr<Command> make_choose() {
  return std::make_unique<Rank>(Head::kMultipleChoice, "choices", "a TEXT", "CHOICEs");
}

}  // namespace bert::cli
