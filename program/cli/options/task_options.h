// The options of a task (bert/task_settings.h) as the program's: top_k is --top-k.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "bert/task_settings.h"
#include "program/cli/options/options.h"

namespace bert::cli {

// "next-sentence" of "next_sentence".
std::string command_name(std::string_view task);
// Declares those that the command does not have in a way of its own. settings must outlive the table.
void declare_task(OptionTable& table, TaskSettings& settings, std::initializer_list<std::string_view> own = {});
// Throws UsageError for an option without one that it needs, or beside one that it excludes.
void check_task(const TaskSettings& settings, const Options& options);

}  // namespace bert::cli
