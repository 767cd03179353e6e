// The commands rerank and choose: one text with many others, each with a score, best first. rerank scores documents for
// a query with a classifier of one label, a late-interaction model or the vectors that --kind names; choose scores
// continuations of a text and compares them.
#include <algorithm>
#include <functional>

#include "bert/token_vectors.h"
#include "bert/vectors.h"
#include "tools/cli/command.h"
#include "tools/cli/head_command.h"
#include "tools/cli/table.h"
#include "tools/cli/vector_score.h"

namespace bert::cli {
namespace {

// Each text becomes the pair of the first. For one pair with an empty second text, the reference's tokenizer uses only
// the first; in a list of pairs, as for multiple choice, it does not.
class Beside : public InputOver {
 public:
  Beside(Input& texts, const std::string& first, bool empty_is_none)
      : InputOver(texts), first_(first), empty_is_none_(empty_is_none) {}

  State next(Item& item, Wait wait) override {
    const State state = input_.next(item, wait);
    if (state != State::kItem) return state;
    if (item.error.empty() && item.ids) item.error = kNeedsText;
    if (item.error.empty() && item.pair) item.error = kNeedsNoPair;
    item.pair = std::move(item.text);
    if (empty_is_none_ && item.pair->empty()) item.pair.reset();
    item.text = first_;
    return state;
  }

 private:
  const std::string& first_;
  bool empty_is_none_;
};

struct Ranked {
  size_t index;  // of the input's texts, from 0
  std::string id;
  std::string text;
  double score;
};

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
      declare_kinds(table, kind_, "a classifier's score, or tokens of a late-interaction model");
      declare_weights(table, kind_);
    }
    declare_lengths(table, options);
    declare_truncation(table, options);
    declare_output(table, options, {"text", "json", "jsonl"});
    declare_batches(table, options);
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
    const std::unique_ptr<Input> texts = open_input(others);
    Beside input(*texts, first, head_ == Head::kSequenceClassification);

    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    check_kind(kind_, embed_);
    if (!kind_.kinds.empty() && !kind_.is_only(VectorKind::kTokens)) {
      return run_kinds(*texts, first, output, model, console);
    }
    if (head_ == Head::kSequenceClassification && (makes_token_vectors(model) || !kind_.kinds.empty())) {
      return run_late(*texts, first, output, model, console);
    }
    model.require(head_);
    if (head_ == Head::kSequenceClassification && model.config().labels.size() != 1) {
      throw Error(ErrorCode::kInvalidArgument, "rerank needs a classifier of one label; this model has " +
                                                   std::to_string(model.config().labels.size()));
    }
    check_text(model, first, first_);
    RunSummary summary(input, output, console);
    std::vector<Ranked> ranked;
    Sequence all;  // their counts
    const TokenRules rules = model_token_rules(options, model);
    Sequences sequences(input, model, HeadOptions{head_}, rules);
    for (Sequence sequence; sequences.next(sequence);) {
      if (!sequence.error) {
        ranked.push_back({sequence.source.number - 1, sequence.source.id, sequence.pair, sequence.logits.values[0]});
        all.encoding.truncated_tokens += sequence.encoding.truncated_tokens;
        all.unknown_tokens += sequence.unknown_tokens;
      }
      summary.count(sequence);
    }
    score(ranked, model);
    all.positions = rules.positions;
    write(ranked, all, output);
    return summary.finish(output, model);
  }

 private:
  using Score = std::function<double(Sequence& document)>;

  // A late-interaction model, which reads a query and documents in ways of their own.
  int run_late(Input& texts, const std::string& query, Output& output, const Model& model, Console& console) {
    check_text(model, query, first_);
    const TokenVectors of_query = embed_tokens(model, query, TextRole::kQuery);
    const MaxSim max_sim(1);
    const bool is_mean = token_vector_settings(model).mean_score;
    const double divisor = is_mean ? static_cast<double>(std::max<size_t>(of_query.tokens.size(), 1)) : 1;
    activation_ = token_score_name(model);
    return run_vectors(texts, TokenVectorOptions{TextRole::kDocument}, output, model, console, [&](Sequence& document) {
      return max_sim.score(of_query.values, document.token_vectors.values, of_query.size) / divisor;
    });
  }

  // The vectors of the kinds asked for.
  int run_kinds(Input& texts, const std::string& query, Output& output, const Model& model, Console& console) {
    const VectorScore score(model, embed_, kind_, console);
    check_text(model, query, first_);
    const std::string_view one[] = {query};
    Texts source(one);
    TextPipeline pipeline(model, score.task(), source);
    TextResult result;
    pipeline.next(result);
    if (result.error) throw *result.error;
    const TextVectors of_query = take_vectors(result);
    activation_ = score.name();
    return run_vectors(texts, score.task(), output, model, console,
                       [&](Sequence& document) { return score.of(of_query, take_vectors(document)); });
  }

  int run_vectors(Input& texts, const TextTask& task, Output& output, const Model& model, Console& console,
                  const Score& score_of) {
    if (options.truncation) throw UsageError("--truncation is for pairs; vectors are of texts alone");
    RunSummary summary(texts, output, console);
    std::vector<Ranked> ranked;
    Sequence all;  // their counts
    TokenRules rules = model_token_rules(options, model);
    rules.no_ids = kNeedsText;
    rules.no_pair = kNeedsNoPair;
    Sequences sequences(texts, model, task, rules);
    for (Sequence sequence; sequences.next(sequence);) {
      if (!sequence.error) {
        ranked.push_back({sequence.source.number - 1, sequence.source.id, sequence.text, score_of(sequence)});
        all.encoding.truncated_tokens += sequence.encoding.truncated_tokens;
        all.unknown_tokens += sequence.unknown_tokens;
      }
      summary.count(sequence);
    }
    sort(ranked);
    all.positions = rules.positions;
    write(ranked, all, output);
    return summary.finish(output, model);
  }

  void sort(std::vector<Ranked>& ranked) const {
    std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) { return a.score > b.score; });
    if (top_k_ && *top_k_ < ranked.size()) ranked.resize(*top_k_);
  }

  void score(std::vector<Ranked>& ranked, const Model& model) {
    if (head_ == Head::kSequenceClassification) activation_ = relevance(model.config(), 0).activation;
    std::vector<float> logits;
    for (const Ranked& one : ranked) logits.push_back(static_cast<float>(one.score));
    const std::vector<double> shares = softmax(logits);
    for (size_t i = 0; i < ranked.size(); ++i) {
      ranked[i].score = head_ == Head::kMultipleChoice ? shares[i] : relevance(model.config(), logits[i]).score;
    }
    sort(ranked);
  }

  void write(const std::vector<Ranked>& ranked, const Sequence& all, Output& output) const {
    if (options.format == "text") {
      Table table({{"score", Align::kRight}, {"index", Align::kRight}, {"text"}});
      for (const Ranked& one : ranked) {
        table.add({fixed(one.score, 6), std::to_string(one.index), one_line(one.text)});
      }
      return output.write(table.text({}));
    }
    JsonObject object = begin_result(all);
    append_list(object.member(member_), ranked, [](std::string& text, const Ranked& one) {
      JsonObject result;
      if (!one.id.empty()) result.member("id") += one.id;
      result.number("index", one.index);
      result.number("score", one.score);
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
  EmbedOptions embed_;
  KindOptions kind_;
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
