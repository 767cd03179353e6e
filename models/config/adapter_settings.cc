#include "models/config/adapter_settings.h"

#include <cstdint>
#include <string>

namespace bert {
namespace {

constexpr int64_t kMaxRank = 1024;

}  // namespace

std::optional<TaskAdapters> read_task_adapters(const JsonObject& fields) {
  const bool are_trained = fields.nullable_boolean("load_trained_adapters").value_or(false);
  if (!are_trained || !fields.nullable("lora_adaptations")) return std::nullopt;
  TaskAdapters adapters;
  adapters.tasks = *fields.strings("lora_adaptations");
  if (adapters.tasks.empty()) fields.refuse("lora_adaptations", "the name of a task, at least one");
  const JsonObject instructions = fields.required_object("task_instructions");
  for (const std::string& task : adapters.tasks) {
    adapters.instructions.push_back(instructions.required_string(task));
  }
  adapters.rank = static_cast<size_t>(fields.integer("lora_rank", {.min = 1, .max = kMaxRank}).value_or(4));
  adapters.alpha = fields.positive_number("lora_alpha").value_or(1);
  return adapters;
}

}  // namespace bert
