// Makes command-line options from the options of a task (bert/task_settings.h): top_k becomes --top-k.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "bert/task_settings.h"
#include "program/cli/options/options.h"

namespace bert::cli {

// Returns "next-sentence" for "next_sentence".
std::string command_name(std::string_view task);
// Declares the task's options, except `own`, which the command declares itself. settings must outlive the table.
void declare_task(OptionTable& table, TaskSettings& settings, std::initializer_list<std::string_view> own);
// Throws UsageError for an option without one that it needs, or beside one that it excludes.
void check_task(const TaskSettings& settings, const Options& options);

}  // namespace bert::cli
