// The LoRA adapters of a model's tasks. As with the routes of a Router (models/router.h), a loaded model is that of one
// task, or of none: LoadOptions::task chooses. Stateless.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "bert/config.h"
#include "engine/base/json_object.h"
#include "models/sentence_settings.h"

namespace bert {

// lora_adaptations, task_instructions, lora_rank and lora_alpha of config.json; nullopt if it names no tasks, or
// load_trained_adapters is not true: then the weights' file has no adapters.
std::optional<TaskAdapters> read_task_adapters(const JsonObject& fields);

// The index of the task's adapter, whose instruction becomes the default prompt. nullopt: none is applied, because no
// task is given, which adds a notice, or because the task has chosen a route. source: the model, for messages.
// Throws Error: kInvalidArgument for a task without an adapter; kNotFound for a model without tasks.
std::optional<size_t> choose_adapter(const std::optional<TaskAdapters>& adapters,
                                     const std::optional<std::string>& task, const std::string& source,
                                     SentenceSettings& sentence);

}  // namespace bert
