// Reads the settings of the LoRA adapters of a model's tasks from config.json. Stateless.
#pragma once

#include <optional>

#include "bert/config.h"
#include "engine/base/json/json_object.h"

namespace bert {

// Returns lora_adaptations, task_instructions, lora_rank and lora_alpha of config.json; nullopt if it names no tasks,
// or if load_trained_adapters is not true: the weights' file then has no adapters.
std::optional<TaskAdapters> read_task_adapters(const JsonObject& fields);

}  // namespace bert
