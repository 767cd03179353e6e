// Converts a text's logits to classes, and labels' indices to names. Stateless.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/labels.h"
#include "tasks/labels/prepared_labels.h"

namespace bert {

// Returns the names that results show for each label.
const std::vector<std::string>& shown_names(const LabelRequest& request);

// Returns the classes, best first. logits: [labels]
std::vector<FoundClass> class_scores(std::span<const float> logits, const LabelRequest& request);

// Returns the entities, each with a copy of its label's name. names: from shown_names().
std::vector<Entity> named(std::span<const FoundEntity> found, std::string_view text,
                          const std::vector<std::string>& names);
std::vector<LabelScore> named(std::span<const FoundClass> found, const std::vector<std::string>& names);

// Returns the bytes of the names and words that named() would make.
size_t named_bytes(const LabelResult& found, const std::vector<std::string>& names);

}  // namespace bert
