// What a text's result is made of, once its spans or its logits are there. Stateless.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/labels.h"
#include "bert/tokenizer.h"
#include "engine/base/code_points.h"

namespace bert {

// What results have for each label.
const std::vector<std::string>& shown_names(const LabelRequest& request);

// points: those of the text.
Entity entity_at(Offset place, std::string_view text, const CodePoints& points, const std::string& name, double score);

// Best first. logits: [labels]
std::vector<LabelScore> class_scores(std::span<const float> logits, const LabelRequest& request);

}  // namespace bert
