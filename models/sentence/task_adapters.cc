#include "models/sentence/task_adapters.h"

#include <algorithm>

#include "bert/error.h"
#include "engine/base/joined.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

std::string quoted_names(const std::vector<std::string>& names) {
  return joined(names, ", ", [](const std::string& name) { return quote(name, 40); });
}

}  // namespace

std::optional<size_t> choose_adapter(const std::optional<TaskAdapters>& adapters,
                                     const std::optional<std::string>& task, const std::string& source,
                                     SentenceSettings& sentence) {
  if (task && sentence.has_routes) return std::nullopt;
  if (!adapters) {
    if (!task) return std::nullopt;
    throw Error(ErrorCode::kNotFound, "task " + quote(*task, 60) + " requested, but " + quote_path(source) +
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
