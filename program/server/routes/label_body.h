// The labels of a request whose model reads them. Stateless.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/server/routes/api.h"

namespace bert::server {

// The options of the route's task. Throws ApiError for "labels" beside a model that has its own, and for none, or more
// than check_labels takes, of one that reads them.
TaskSettings label_settings(const Call& call, const ServedModel& model, LabelTask what,
                            const std::vector<TextItem>& texts);

// The labels are in the pass of each text, so their number and their bytes count with each. Throws ApiError for more
// than a request may have.
void check_labels(const Call& call, const std::vector<std::string>& labels, const std::vector<TextItem>& texts);

// "input". Throws ApiError for token ids.
std::vector<TextItem> only_texts(const Call& call);

// "words", in place of `field`: the words of a text, or a list of such lists; nullopt without it. Throws ApiError for
// both, and for what is no list of strings.
std::optional<std::vector<TextItem>> words_of(const Call& call, const std::string& field);

// A list of one entry for each text of the job, with the model's name and usage. entry(index) begins an entry, whose
// object has this name.
std::string list_of_texts(const Job& job, const std::string& name,
                          const std::function<void(JsonWriter& object, size_t index)>& entry);

}  // namespace bert::server
