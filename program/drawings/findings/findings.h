// What an experiment on a model found, in words, tables and drawings: the program writes it, and a notebook shows it.
// Also the words that these share. Immutable; safe to use from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/experiments.h"
#include "bert/explain.h"
#include "bert/model.h"
#include "program/common/table.h"
#include "program/drawings/page.h"

namespace bert::drawings {

using namespace common;  // tables, and numbers as text

// A page with more tokens would be too large to read.
inline constexpr size_t kMaxDrawnTokens = 64;

class Findings {
 public:
  virtual ~Findings() = default;
  virtual std::string title() const = 0;   // of a page of their own
  virtual std::string answer() const = 0;  // one sentence, to the question of the command report
  virtual std::string text(const TextStyle& style) const = 0;
  // The answer, the drawing that shows it, and the rest.
  virtual void add_to(Page& page) const;
  // The drawing that shows the answer.
  virtual void add_main(Page& page) const = 0;
  virtual void add_details(Page&) const {}
};

// Views of the numbers, which must outlive them. tokens: the labels of all tokens, also where attention is of some.
// Local layers: ModelConfig's.
std::unique_ptr<Findings> attention_findings(const AttentionSummary& attention, std::vector<std::string> tokens,
                                             std::vector<bool> local_layers);
// Rows of a long text to draw, in ascending order. Throws Error(kInvalidArgument), which names `option`, for more than
// kMaxDrawnTokens and for one that is no token of the text.
void check_rows(std::span<const size_t> rows, size_t tokens, const std::string& option);
// encoding: the tokens' own.
std::unique_ptr<Findings> embedding_findings(const std::vector<TokenComposition>& parts,
                                             std::vector<std::string> tokens, const Encoding& encoding);
std::unique_ptr<Findings> order_findings(const OrderComparison& comparison, std::vector<std::string> tokens);
// "reversed", "neighbours swapped", "shuffled 1", …
std::string order_name(const OrderComparison& comparison, size_t index);
// type_ids: of the tokens, in their own segments.
std::unique_ptr<Findings> segment_findings(const SegmentComparison& comparison, std::vector<std::string> tokens,
                                           std::vector<int32_t> type_ids);
std::unique_ptr<Findings> score_findings(const ScoreExplanation& explanation);
// labels: at most so many are shown, those with the highest scores.
std::unique_ptr<Findings> label_findings(const LabelExplanation& explanation, size_t labels);
std::unique_ptr<Findings> lens_findings(const LayerWords& words);
std::unique_ptr<Findings> importance_findings(const HeadImportance& importance, Ablation ablation);
std::unique_ptr<Findings> variance_findings(const VarianceShares& shares);
// What the words of the texts explain too of what position explains in a layer: the shares of position and of word
// minus that of both.
double shared_share(const VarianceShares& shares, size_t layer);
// Position and word are confounded where that is at least two thirds of position's share, and 2 % of the variance: then
// the texts do not say which of the two a vector depends on. The layer where it is largest; nullopt: none.
std::optional<size_t> confounded_layer(const VarianceShares& shares);
// "1,234 tokens of 56 texts, …"
std::string described_texts(const VarianceShares& shares);

// The tokens of a text.
std::vector<std::string> token_labels(const Encoding& encoding, const Model& model);
// The same, an unknown one with the text that it stands for. pair: "" for none
std::vector<std::string> readable_tokens(const Encoding& encoding, const std::string& text, const std::string& pair,
                                         const Model& model);
// These as most findings show them, those of a pair with A or B.
std::vector<std::string> shown_tokens(const Encoding& encoding, const std::string& text, const std::string& pair,
                                      const Model& model);

// The same, each that occurs more than once with its place before it, counted from 0: for the axis of a drawing.
std::vector<std::string> distinct_labels(const std::vector<std::string>& tokens);

// The text in quotation marks, or "“the text” (A) and “the pair” (B)".
std::string quoted_texts(const Encoding& encoding, const std::string& text, const std::string& pair);
// A page's subtitle: text, model, number of tokens.
std::string page_lead(const Encoding& encoding, const std::string& text, const std::string& pair, const Model& model);
std::string model_name(const Model& model);
// The same without the directory's path.
std::string name_on_page(const Model& model);
// A directory's last part, or the model's name where the directory is in the hub's cache.
std::string name_of_directory(const std::string& directory);

// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& items);

// 0.123 as "12 %".
std::string percent(double share, int decimals = 0);

}  // namespace bert::drawings
