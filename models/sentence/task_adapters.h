// The LoRA adapters of a model's tasks. As with the routes of a Router (models/sentence/router.h), a loaded model is
// for one task, or for none: LoadOptions::task chooses. Stateless.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "bert/config.h"
#include "models/sentence/sentence_settings.h"

namespace bert {

// Returns the index of the task's adapter, whose instruction becomes the default prompt. Returns nullopt if no adapter
// is applied: because no task is given, which adds a notice, or because the task has chosen a route. source: the model,
// for messages. Throws Error: kInvalidArgument for a task without an adapter; kNotFound for a model without tasks.
std::optional<size_t> choose_adapter(const std::optional<TaskAdapters>& adapters,
                                     const std::optional<std::string>& task, const std::string& source,
                                     SentenceSettings& sentence);

}  // namespace bert
