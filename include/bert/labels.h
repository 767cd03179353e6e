// Entities of a text and classes of a text, by labels that the caller chooses. A model that was trained to read the
// labels together with the text finds entities (GLiNER) or how well each label fits the text (GLiClass).
//
//   const bert::Model model = bert::Model::load("path/to/gliner_small-v2.1");
//   for (const bert::Entity& entity : bert::find_entities(model, "Ada Lovelace lived in London.",
//                                                         {.labels = {"person", "city"}})) {
//     std::cout << entity.word << ": " << entity.entity << ", " << entity.score << "\n";
//   }
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bert/export.h"
#include "bert/label_scores.h"
#include "bert/string_range.h"

namespace bert {

class Model;
class ModelTaskPtr;  // bert/text_pipeline.h

// Entities to look for in a text, by a model that reads labels.
struct LabelRequest {
  static constexpr size_t kMaxLabels = 1000;

  std::vector<std::string> labels = {};  // as the model reads them: names or descriptions; duplicates count once
  std::vector<std::string> names = {};   // for the results, instead of the labels; empty: the labels
  double threshold = 0.5;                // only results with higher scores are returned; from 0 to 1
  bool nested = false;                   // an entity may lie in another one; false: entities do not overlap
  bool multi_label = false;              // a span may have several labels
  bool operator==(const LabelRequest&) const = default;
  BERT_API operator ModelTaskPtr() const;  // a TextTask
};

// Labels to score for a text, by a model that reads labels.
struct ClassRequest {
  std::vector<std::string> labels = {};  // as in LabelRequest
  std::vector<std::string> names = {};
  bool multi_label = false;  // true: each score is from 0 to 1, independent of the others; false: the scores of a text
                             // sum to 1
  bool operator==(const ClassRequest&) const = default;
  BERT_API operator ModelTaskPtr() const;  // a TextTask
};

enum class LabelTask { kEntities, kClasses };

// Whether the model reads labels for this task.
BERT_API bool reads_labels(const Model& model, LabelTask task);

// Returns the entities in the order of the text. For several texts use TextPipeline. Throws Error: kUnsupported for a
// model that does not read labels for entities; kInvalidArgument for no labels, an empty label, more than kMaxLabels
// labels, and names of another number.
BERT_API std::vector<Entity> find_entities(const Model& model, std::string_view text, const LabelRequest& request);
void find_entities(const Model& model, TextList texts, const LabelRequest& request) = delete;

// Returns the scores of all labels, best first. Throws Error as find_entities does.
BERT_API std::vector<LabelScore> score_labels(const Model& model, std::string_view text, const ClassRequest& request);
void score_labels(const Model& model, TextList texts, const ClassRequest& request) = delete;

}  // namespace bert
