// A text's labels, entities, words for its masks and answers, and the order of documents for a query, in one call each:
// the text is tokenised, encoded and read by the model's head. Of many texts: bert/task_calls.h. The results are the
// same.
//
//   bert::Model model = bert::Model::load("path/to/a-tagger");
//   for (const bert::Entity& entity : bert::tag(model, "Ada Lovelace lived in London."))
//     std::cout << entity.word << ": " << entity.entity << "\n";
//
// A text that is too long is cut off, unless the call or its options say otherwise; each result says how many tokens of
// the texts were not read. Errors are bert::Error: kNotFound for a model without the head, and those of tokenising.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/export.h"
#include "bert/task_calls.h"

namespace bert {

// The results of a call, in its order.
template <class Item>
struct TaskResults : std::vector<Item> {
  size_t truncated_tokens = 0;  // tokens of the call's texts that were not read
};

// All labels of a text, or of a text and its pair, best first.
BERT_API TaskResults<LabelScore> classify(const Model& model, std::string_view text,
                                          const std::optional<std::string_view>& pair = {},
                                          const WindowOptions& windows = {});

// find_entities and score_labels of bert/labels.h with a choice for texts that are too long, which the former reads in
// windows by default. Windows are whole words, each read as a text of its own.
BERT_API TaskResults<Entity> find_entities(const Model& model, std::string_view text, const LabelRequest& request,
                                           const WindowOptions& windows);
BERT_API TaskResults<LabelScore> score_labels(const Model& model, std::string_view text, const ClassRequest& request,
                                              const WindowOptions& windows);

// The candidate labels, best first, by a classifier of natural language inference. kInvalidArgument for no label.
BERT_API TaskResults<LabelScore> zero_shot(const Model& model, std::string_view text,
                                           std::span<const std::string> labels, const ZeroShotOptions& options = {});

// The entities of a text, in its order. A text that is too long is by default read in windows.
struct TagOptions {
  Aggregation aggregation = Aggregation::kSimple;
  std::optional<size_t> stride = {};  // as in WindowOptions
  TagScheme scheme = TagScheme::kFromLabels;
  LongText long_text = LongText::kWindows;
  ProgressCallback progress = {};  // as in WindowOptions
};
BERT_API TaskResults<Entity> tag(const Model& model, std::string_view text, const TagOptions& options = {});

struct FillMaskOptions {
  size_t top_k = 5;
  std::vector<std::string> targets = {};  // only these tokens of the vocabulary; empty: all
  LongText long_text = LongText::kCut;    // or kError
};

// For each mask of the text the tokens that fit best. kInvalidText for a text without a mask, or with one that is cut
// off, kInvalidArgument for a target that is no token.
BERT_API TaskResults<std::vector<MaskCandidate>> fill_masks(const Model& model, std::string_view text,
                                                            const FillMaskOptions& options = {});

// The parts of the context that answer the question, best first. A context that is too long is read in windows of 384
// tokens, or as many as the model has, that share 128.
BERT_API TaskResults<Answer> answer(const Model& model, std::string_view question, std::string_view context,
                                    const AnswerOptions& options = {});

// A document and how well it fits a query.
struct RankedDocument {
  size_t index = 0;  // of the caller's documents
  double score = 0;
  bool operator==(const RankedDocument&) const = default;
};

// All documents by how well they fit the query, best first, as `reranker` scores them; of equal ones the first. The
// score of a document that is read in windows is that of the best one, whatever windows.scores says. No windows for
// token vectors, nor for a model that reads a chat.
BERT_API TaskResults<RankedDocument> rerank(const Model& model, const Reranker& reranker, std::string_view query,
                                            std::span<const std::string_view> documents,
                                            const WindowOptions& windows = {});

}  // namespace bert
