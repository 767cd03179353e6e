// Runs a task of the library by its name, for one text.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bert/bert_tasks.h"
#include "bindings/sqlite/src/registry.h"

namespace bert_sqlite {

using Results = std::unique_ptr<bert_results, decltype(&bert_results_free)>;

// Returns the task's results for the text, with places in characters. set_options: sets the task's options. An
// interrupt of the running statement ends the call. Throws SqlError.
Results run_task(const Registry& registry, const bert_model* model, const char* name, const std::string& text,
                 const std::function<void(bert_task*)>& set_options);

}  // namespace bert_sqlite
