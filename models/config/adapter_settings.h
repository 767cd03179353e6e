// The settings of the LoRA adapters of a model's tasks, in config.json. Stateless.
#pragma once

#include <optional>

#include "bert/config.h"
#include "engine/base/json/json_object.h"

namespace bert {

// lora_adaptations, task_instructions, lora_rank and lora_alpha of config.json; nullopt if it names no tasks, or
// load_trained_adapters is not true: then the weights' file has no adapters.
std::optional<TaskAdapters> read_task_adapters(const JsonObject& fields);

}  // namespace bert
