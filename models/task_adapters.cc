#include "models/task_adapters.h"

#include <algorithm>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

constexpr int64_t kMaxRank = 1024;

std::string quoted_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(quote(name, 40));
  return text;
}

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

std::optional<size_t> choose_adapter(const std::optional<TaskAdapters>& adapters,
                                     const std::optional<std::string>& task, const std::string& source,
                                     SentenceSettings& sentence) {
  if (task && sentence.has_routes) return std::nullopt;
  if (!adapters) {
    if (!task) return std::nullopt;
    throw Error(ErrorCode::kNotFound, "task " + quote(*task, 60) + " asked for, but " + quote_path(source) +
                                          " has neither a Router nor adapters for tasks");
  }
  const std::string names = quoted_names(adapters->tasks);
  for (size_t i = 0; i < adapters->tasks.size(); ++i) {
    sentence.prompts.emplace(adapters->tasks[i], adapters->instructions[i]);
  }
  if (!task) {
    sentence.notices.push_back(quote_path(source) + ": no adapter (LoRA) is applied, of " + names +
                               "; a task chooses one");
    return std::nullopt;
  }
  const auto found = std::find(adapters->tasks.begin(), adapters->tasks.end(), *task);
  if (found == adapters->tasks.end()) {
    throw Error(ErrorCode::kInvalidArgument,
                "no adapter for task " + quote(*task, 60) + " in " + quote_path(source) + ", expected " + names);
  }
  sentence.default_prompt = *task;
  return static_cast<size_t>(found - adapters->tasks.begin());
}

}  // namespace bert
