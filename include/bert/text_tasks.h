// Each task in one call for one text: labels, entities, words for masks, answers, and the order of documents for a
// query. The text is tokenised, encoded and read by the model's head. bert/task_calls.h gives the same results for many
// texts.
//
//   bert::Model model = bert::Model::load("path/to/a-tagger");
//   for (const bert::Entity& entity : bert::tag(model, "Ada Lovelace lived in London."))
//     std::cout << entity.word << ": " << entity.entity << "\n";
//
// A text that is too long is truncated unless the call or its options say otherwise; each result says how many tokens
// were not read. Functions throw Error: kNotFound for a model without the head, and the tokenizer's errors. Stateless;
// safe to call from many threads.
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

// The results of a call, in the order that the call states.
template <class Item>
struct TaskResults : std::vector<Item> {
  size_t truncated_tokens = 0;  // tokens of the call's texts that were not read
};

// Returns all labels of a text, or of a text and its pair, best first.
BERT_API TaskResults<LabelScore> classify(const Model& model, std::string_view text,
                                          const std::optional<std::string_view>& pair = {},
                                          const WindowOptions& windows = {});

// As find_entities and score_labels of bert/labels.h, with a choice for texts that are too long; find_entities reads
// them in windows by default. Windows consist of whole words, and each is read as a text.
BERT_API TaskResults<Entity> find_entities(const Model& model, std::string_view text, const LabelRequest& request,
                                           const WindowOptions& windows);
BERT_API TaskResults<LabelScore> score_labels(const Model& model, std::string_view text, const ClassRequest& request,
                                              const WindowOptions& windows);

// Returns the candidate labels, best first, by a classifier of natural language inference. Throws
// Error(kInvalidArgument) for no labels.
BERT_API TaskResults<LabelScore> zero_shot(const Model& model, std::string_view text,
                                           std::span<const std::string> labels, const ZeroShotOptions& options = {});

// Options of tag(), which returns the entities in the order of the text. By default it reads a text that is too long in
// windows.
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
  std::vector<std::string> targets = {};  // only these tokens of the vocabulary; empty: all tokens
  LongText long_text = LongText::kCut;    // or kError
};

// Returns the tokens that fit each mask best. Throws Error(kInvalidText) for a text without a mask, and if truncation
// removed a mask; Error(kInvalidArgument) for a target that is not a token.
BERT_API TaskResults<std::vector<MaskCandidate>> fill_masks(const Model& model, std::string_view text,
                                                            const FillMaskOptions& options = {});

// Returns the parts of the context that answer the question, best first. A context that is too long is read in windows
// of 384 tokens, or as many as the model allows, which share 128 tokens.
BERT_API TaskResults<Answer> answer(const Model& model, std::string_view question, std::string_view context,
                                    const AnswerOptions& options = {});

// A document and how well it fits a query.
struct RankedDocument {
  size_t index = 0;  // index of the document
  double score = 0;
  bool operator==(const RankedDocument&) const = default;
};

// Returns all documents, best first, as `reranker` scores them; documents with equal scores stay in order. A document
// that is read in windows has the score of its best window, whatever windows.scores says. Windows are not allowed for
// token vectors, nor for a model with a chat template.
BERT_API TaskResults<RankedDocument> rerank(const Model& model, const Reranker& reranker, std::string_view query,
                                            std::span<const std::string_view> documents,
                                            const WindowOptions& windows = {});

}  // namespace bert
