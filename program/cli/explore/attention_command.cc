// The command attention: prints the entropy of every head of every layer and where its weights go, or what the model's
// answer loses without each head.
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bert/experiments.h"
#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/explore/report.h"
#include "program/cli/explore/text_experiment.h"
#include "program/cli/options/intervention_options.h"
#include "program/cli/output/results.h"

namespace bert::cli {
namespace {

// Each head's means.
constexpr std::pair<const char*, double HeadSummary::*> kMeans[] = {{"entropy", &HeadSummary::entropy_bits},
                                                                    {"self", &HeadSummary::self},
                                                                    {"previous", &HeadSummary::previous},
                                                                    {"next", &HeadSummary::next},
                                                                    {"special", &HeadSummary::special}};

class Attention : public TextExperiment {
 public:
  void declare(OptionTable& table) override {
    declare_pair(table, options);
    declare_text_report(table, {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl, OutputFormat::kNpz});
    table.begin_group("Tokens");
    table.ranges("--rows", kMaxDrawnTokens, rows_,
                 "the tokens whose attention is wanted, counted from 0 as tokenize does, at most " +
                     std::to_string(kMaxDrawnTokens) + "; the whole text is computed (default: all)");
    table.begin_group("Importance");
    table.flag("--importance", importance_wanted_,
               "instead, what the model's answer loses without each head: the score of its best label, the probability "
               "of the best word for the first mask, or the cosine of the text's vector");
    declare_ablation(
        table, ablation_,
        "with --importance, what takes the place of a head's outputs: zeros, or their mean over the text's "
        "tokens (default: zero)");
  }

 private:
  void check(const Sequence& sequence) const override {
    if (importance_wanted_ && !rows_.empty()) throw UsageError("--rows is not for --importance");
    if (!importance_wanted_ && ablation_ != Ablation::kZero) throw UsageError("--ablation is for --importance");
    if (importance_wanted_) return;
    const size_t tokens = sequence.tokens.encoding.size();
    if (rows_.empty()) {
      require_drawable(drawn_, "text", tokens, " (--rows chooses some of them, --max-length truncates the text)");
    } else {
      check_rows(rows_, tokens, "--rows");
    }
  }

  std::unique_ptr<Findings> compute(const Model& model, const Sequence& sequence, Console&) override {
    if (importance_wanted_) {
      importance_ = head_importance(model, sequence.tokens.encoding, ablation_);
      return importance_findings(importance_, ablation_);
    }
    attention_ = summarize_attention(model, sequence.tokens.encoding, rows_);
    return attention_findings(attention_,
                              shown_tokens(sequence.tokens.encoding, sequence.input.text, sequence.input.pair, model),
                              model.config().local_layers);
  }

  std::string json(const Sequence& sequence, const Model& model) const override {
    JsonWriter object = begin_result(sequence);
    add_encoding(object, sequence, model);
    if (importance_wanted_) {
      object.string("answer", importance_.answer);
      object.number("whole", importance_.whole);
      std::string& rows = object.member("loss");
      for (size_t i = 0; i < importance_.loss.size(); ++i) {
        rows += i == 0 ? "[[" : i % importance_.heads == 0 ? "],[" : ",";
        append_number(rows, importance_.loss[i]);
      }
      rows += "]]";
      return object.take();
    }
    if (!rows_.empty()) object.numbers<size_t>("rows", rows_);
    object.number("max_entropy", attention_.max_entropy_bits);
    if (attention_.window) {
      object.number("window", *attention_.window);
      object.number("max_local_entropy", *attention_.max_local_entropy_bits);
    }
    for (const auto& [name, value] : kMeans) {
      std::string& rows = object.member(name);
      for (size_t i = 0; i < attention_.summaries.size(); ++i) {
        rows += i == 0 ? "[[" : i % attention_.heads == 0 ? "],[" : ",";
        append_number(rows, attention_.summaries[i].*value);
      }
      rows += "]]";
    }
    add_attentions(object, attention_.weights, model.config(), attention_.queries.size(), attention_.tokens);
    return object.take();
  }

  std::vector<Array> arrays(const Sequence& sequence, const Model& model) const override {
    std::vector<Array> arrays = encoding_arrays(sequence, model);
    if (importance_wanted_) {
      arrays.push_back(make_array("whole", std::span<const double>(&importance_.whole, 1), {}));
      arrays.push_back(make_array("loss", std::span<const double>(importance_.loss),
                                  {importance_.loss.size() / importance_.heads, importance_.heads}));
      return arrays;
    }
    const size_t layers = attention_.summaries.size() / attention_.heads;
    for (const auto& [name, value] : kMeans) {
      std::vector<double> values;
      for (const HeadSummary& head : attention_.summaries) values.push_back(head.*value);
      arrays.push_back(make_array(name, std::span<const double>(values), {layers, attention_.heads}));
    }
    if (!rows_.empty()) {
      const std::vector<int64_t> rows(rows_.begin(), rows_.end());
      arrays.push_back(make_array("rows", std::span<const int64_t>(rows), {rows.size()}));
    }
    arrays.push_back(
        attentions_array(attention_.weights, model.config(), attention_.queries.size(), attention_.tokens));
    return arrays;
  }

  bool importance_wanted_ = false;
  Ablation ablation_ = Ablation::kZero;
  HeadImportance importance_;
  std::vector<size_t> rows_;  // empty: all tokens
  AttentionSummary attention_;
};

}  // namespace

std::unique_ptr<TextExperiment> make_attention_experiment() { return std::make_unique<Attention>(); }
std::unique_ptr<Command> make_attention() { return make_attention_experiment(); }

}  // namespace bert::cli
