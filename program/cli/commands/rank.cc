// The commands rerank and choose: one text with many others, each with a score, best first. rerank scores documents for
// a query as the model does (bert/tasks.h, Reranker), or by the kinds of vectors that --kind names; choose scores
// continuations of a text and compares them.
#include <functional>

#include "bert/tasks.h"
#include "bert/token_vectors.h"
#include "program/cli/command.h"
#include "program/cli/commands/head_command.h"
#include "program/cli/commands/vector_score.h"
#include "program/cli/common.h"
#include "program/cli/output/explained.h"

namespace bert::cli {
namespace {

struct Ranked {
  size_t index;  // in the input's texts, from 0
  std::string id;
  std::string text;
  Relevance relevance;
  TextResult result;  // the scored input, for explaining it
};

class Rank : public Command {
 public:
  Rank(Head head, const char* member, const char* first, const char* others)
      : head_(head), member_(member), first_(first), others_(others) {}

  void declare(OptionTable& table) override {
    declare_input(table, options, kLoneTextLines);
    table.begin_group("Results");
    table.number("--top-k", top_k_, "the largest number of results (default: all)", 1);
    declare_model(table, options);
    if (head_ == Head::kSequenceClassification) {
      declare_pooling(table, embed_);
      declare_kinds(table, kind_, "by the model: a classifier's score, tokens of a late-interaction model, or dense");
      declare_weights(table, kind_);
      table.text("--relevant-label", relevant_label_, "LABEL",
                 "for a classifier with two labels, the label whose score counts (default: 'relevant')");
    }
    declare_lengths(table, options);
    declare_truncation(table, options);
    if (head_ == Head::kSequenceClassification) {
      declare_long_text(table, options, {.windows_become = "whose best score is the document's"});
    } else {
      declare_long_text(table, options);
    }
    std::vector<OutputFormat> formats = {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl};
    const bool can_explain = head_ == Head::kSequenceClassification;
    if (can_explain) formats.push_back(OutputFormat::kNpz);
    declare_output(table, options, formats);
    declare_batches(table, options);
    if (can_explain) {
      declare_explain(table, explain_, "the parts whose sum each score is, or the score without each word");
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
    if (head_ == Head::kMultipleChoice)
      return run_call(*texts, choose_call(model, first), first, output, model, console);
    const Reranker reranker = make_reranker(model, console);
    activation_ = reranker.score_name();
    const bool reads_pairs = reranker.method() == RerankMethod::kClassifier;
    if (!reads_pairs && options.truncation) throw UsageError("--truncation is for pairs; vectors are of texts alone");
    explained_ = [&](const TextResult* query, const TextResult& document) {
      if (reads_pairs) return Explanation(explain_relevance(model, document, relevant_label_), 1);
      return Explanation(explain_score(model, std::get<VectorRequest>(reranker.task()), *query, document));
    };
    return run_call(*texts, rerank_call(model, reranker, first), first, output, model, console);
  }

 private:
  Reranker make_reranker(const Model& model, Console& console) {
    check_kind(kind_, embed_);
    if (!kind_.kinds.empty() && !kind_.is_only(VectorKind::kTokens)) {
      if (explain_.wanted && kind_.kinds.size() > 1) throw UsageError("--explain is for one kind of vectors");
      return vector_score(model, embed_, kind_, console);
    }
    if (kind_.is_only(VectorKind::kTokens)) token_vector_settings(model);  // throws for another kind of model
    const Reranker reranker(model, embed_, relevant_label_);
    if (reranker.method() == RerankMethod::kEmbeddings) settle_pooling(model, embed_, console);
    return reranker;
  }

  int run_call(Input& texts, const TaskCallPtr& call, const std::string& first, Output& output, const Model& model,
               Console& console) {
    check_text(model, first, first_);
    RunSummary summary(texts, output, console);
    std::vector<Ranked> ranked;
    std::vector<Relevance> relevances;
    Sequence all;  // the total counts
    TokenRules rules = model_token_rules(options, model);
    rules.no_ids = kNeedsText;
    rules.no_pair = kNeedsNoPair;
    TaskTexts documents(texts, model, *call, rules);
    for (Sequence document; documents.next(document);) {
      summary.count(document, documents.sequences());
      if (document.error) continue;
      relevances.push_back(std::get<Relevance>(documents.result()));
      const bool is_pair = !documents.query();
      ranked.push_back({document.source.number - 1,
                        document.source.id,
                        is_pair ? document.input.pair : document.input.text,
                        {},
                        {}});
      if (explain_.wanted) ranked.back().result = documents.sequences().front();
      if (explain_.wanted && !is_pair) query_ = *documents.query();
      all.tokens.encoding.truncated_tokens += document.tokens.encoding.truncated_tokens;
      all.tokens.unknown_tokens += document.tokens.unknown_tokens;
    }
    if (head_ == Head::kMultipleChoice) choice_scores(relevances);
    std::vector<Ranked> best;
    for (const size_t place : best_first(relevances)) {
      if (best.size() == top_k_) break;
      best.push_back(std::move(ranked[place]));
      best.back().relevance = relevances[place];
    }
    all.positions = rules.positions;
    return finish(best, all, output, model, summary);
  }

  int finish(const std::vector<Ranked>& ranked, const Sequence& all, Output& output, const Model& model,
             RunSummary& summary) const {
    std::vector<ExplainedResult> why;
    if (explain_.wanted) {
      for (const Ranked& one : ranked) {
        why.push_back({std::to_string(one.index) + ": " + one_line(one.text), explained_(&query_, one.result)});
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

  // why: empty, or the explanation of each result.
  void write(const std::vector<Ranked>& ranked, const std::vector<ExplainedResult>& why, const Sequence& all,
             Output& output) const {
    if (options.format == OutputFormat::kText) {
      Table table({{"score", Align::kRight}, {"index", Align::kRight}, {"text"}});
      for (const Ranked& one : ranked) {
        table.add({fixed(one.relevance.score, 6), std::to_string(one.index), one_line(one.text)});
      }
      output.write(table.text({}));
      return write_texts(output, why);
    }
    JsonWriter object = begin_result(all);
    append_list(object.member(member_), ranked, [&](std::string& text, const Ranked& one) {
      JsonWriter result;
      if (!one.id.empty()) result.member("id") += one.id;
      result.number("index", one.index);
      result.number("score", one.relevance.score);
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
  std::function<Explanation(const TextResult* query, const TextResult& document)> explained_;
  TextResult query_;        // set for documents that are compared with it
  std::string lead_;        // the page's
  std::string activation_;  // for rerank: applied to a logit, or how vectors are compared
};

}  // namespace

std::unique_ptr<Command> make_rerank() {
  return std::make_unique<Rank>(Head::kSequenceClassification, "results", "a QUERY", "DOCUMENTs");
}

std::unique_ptr<Command> make_choose() {
  return std::make_unique<Rank>(Head::kMultipleChoice, "choices", "a TEXT", "CHOICEs");
}

}  // namespace bert::cli
