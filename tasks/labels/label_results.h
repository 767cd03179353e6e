// From a text's logits to its classes, and from labels' indices to their names. Stateless.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/labels.h"
#include "tasks/labels/prepared_labels.h"

namespace bert {

// What results have for each label.
const std::vector<std::string>& shown_names(const LabelRequest& request);

// Best first. logits: [labels]
std::vector<FoundClass> class_scores(std::span<const float> logits, const LabelRequest& request);

// With a copy of its name for each. names: shown_names().
std::vector<Entity> named(std::span<const FoundEntity> found, std::string_view text,
                          const std::vector<std::string>& names);
std::vector<LabelScore> named(std::span<const FoundClass> found, const std::vector<std::string>& names);

// The bytes of the names and words in what named() makes.
size_t named_bytes(const LabelResult& found, const std::vector<std::string>& names);

}  // namespace bert
