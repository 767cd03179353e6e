// Reads the labels of a request for a model that reads them. Stateless.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/server/routes/api.h"

namespace bert::server {

// Returns the options of the route's task. Throws ApiError for "labels" if the model has its own labels; for a model
// that reads labels, throws ApiError for no labels and for more than check_labels allows.
TaskSettings label_settings(const Call& call, const ServedModel& model, LabelTask what,
                            const std::vector<TextItem>& texts);

// Throws ApiError for more labels than a request may have. The labels are in the pass of each text, so their number and
// their bytes count for each text.
void check_labels(const Call& call, const std::vector<std::string>& labels, const std::vector<TextItem>& texts);

// Returns the texts of "input". Throws ApiError for token ids.
std::vector<TextItem> only_texts(const Call& call);

// Returns the texts of "words", which replaces `field`: the words of a text, or a list of such lists; nullopt without
// "words". Throws ApiError if both are given, and for anything but lists of strings.
std::optional<std::vector<TextItem>> words_of(const Call& call, const std::string& field);

// Returns a list with an entry for each text of the job, with the model's name and usage. entry(index): begins an
// entry, whose object is called `name`.
std::string list_of_texts(const Job& job, const std::string& name,
                          const std::function<void(JsonWriter& object, size_t index)>& entry);

}  // namespace bert::server
