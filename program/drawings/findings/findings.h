// What an experiment on a model found, in words, tables and drawings: the program writes it, and a notebook shows it.
// Also words that the findings share. Immutable; safe to use from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bert/experiments.h"
#include "bert/explain.h"
#include "bert/model.h"
#include "program/common/table.h"
#include "program/drawings/page.h"

namespace bert::drawings {

using namespace common;  // tables, and numbers as text

// The most tokens of a readable page.
inline constexpr size_t kMaxDrawnTokens = 64;

class Findings {
 public:
  virtual ~Findings() = default;
  virtual std::string title() const = 0;   // of the findings' own page
  virtual std::string answer() const = 0;  // one sentence, which answers the question of the command report
  virtual std::string text(const TextStyle& style) const = 0;
  // Adds the answer, the drawing that shows it, and the rest.
  virtual void add_to(Page& page) const;
  // Adds the drawing that shows the answer.
  virtual void add_main(Page& page) const = 0;
  virtual void add_details(Page&) const {}
};

// These return views of the numbers, which must outlive them. tokens: the labels of all tokens, even if the attention
// is of some. Local layers: from ModelConfig.
std::unique_ptr<Findings> attention_findings(const AttentionSummary& attention, std::vector<std::string> tokens,
                                             std::vector<bool> local_layers);
// Checks the ascending rows of a long text to draw. Throws Error(kInvalidArgument), which names `option`, for more than
// kMaxDrawnTokens rows and for a row that is not a token of the text.
void check_rows(std::span<const size_t> rows, size_t tokens, const std::string& option);
// encoding: of the tokens.
std::unique_ptr<Findings> embedding_findings(const std::vector<TokenComposition>& parts,
                                             std::vector<std::string> tokens, const Encoding& encoding);
std::unique_ptr<Findings> order_findings(const OrderComparison& comparison, std::vector<std::string> tokens);
// Returns "reversed", "neighbours swapped", "shuffled 1", …
std::string order_name(const OrderComparison& comparison, size_t index);
// type_ids: of the tokens, in their own segments.
std::unique_ptr<Findings> segment_findings(const SegmentComparison& comparison, std::vector<std::string> tokens,
                                           std::vector<int32_t> type_ids);
std::unique_ptr<Findings> score_findings(const ScoreExplanation& explanation);
// labels: the most labels to show, those with the highest scores.
std::unique_ptr<Findings> label_findings(const LabelExplanation& explanation, size_t labels);
std::unique_ptr<Findings> lens_findings(const LayerWords& words);
std::unique_ptr<Findings> importance_findings(const HeadImportance& importance, Ablation ablation);
std::unique_ptr<Findings> variance_findings(const VarianceShares& shares);
// Returns the share that both position and word explain in a layer: the shares of position and of word, minus the share
// of both together.
double shared_share(const VarianceShares& shares, size_t layer);
// Returns the layer in which position and word are most confounded; nullopt: none. They count as confounded if
// shared_share is at least two thirds of position's share and 2 % of the variance: the texts then do not show on which
// of the two a vector depends.
std::optional<size_t> confounded_layer(const VarianceShares& shares);
// Returns "1,234 tokens of 56 texts, …".
std::string described_texts(const VarianceShares& shares);

// Returns the tokens of a text.
std::vector<std::string> token_labels(const Encoding& encoding, const Model& model);
// As token_labels, but an unknown token is shown as the text that it stands for. pair: "" for none
std::vector<std::string> readable_tokens(const Encoding& encoding, const std::string& text, const std::string& pair,
                                         const Model& model);
// As readable_tokens, in the form that most findings show: tokens of a pair are marked with A or B.
std::vector<std::string> shown_tokens(const Encoding& encoding, const std::string& text, const std::string& pair,
                                      const Model& model);

// Returns the tokens as labels of an axis: a token that occurs more than once has its place, from 0, before it.
std::vector<std::string> distinct_labels(const std::vector<std::string>& tokens);

// Returns the text in quotation marks, or "“the text” (A) and “the pair” (B)".
std::string quoted_texts(const Encoding& encoding, const std::string& text, const std::string& pair);
// Returns a page's subtitle: text, model, number of tokens.
std::string page_lead(const Encoding& encoding, const std::string& text, const std::string& pair, const Model& model);
std::string model_name(const Model& model);
// Returns the model's name without the directory's path.
std::string name_on_page(const Model& model);
// Returns a directory's last part, or the model's name if the directory is in the hub's cache.
std::string name_of_directory(const std::string& directory);

// Returns "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& items);

// Returns 0.123 as "12 %".
std::string percent(double share, int decimals = 0);

}  // namespace bert::drawings
