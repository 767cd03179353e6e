// Shows the progress of fetching a model: a bar on a terminal, else a line for each file; then a line for the model.
// Used by one thread.
#pragma once

#include <string>

#include "program/cli/output/console.h"
#include "program/fetch/fetch.h"

namespace bert::cli {

// Calls fetch::fetch_model with the process's environment.
fetch::FetchedModel fetch_to_console(const std::string& name, const fetch::FetchOptions& options, Console& console);

}  // namespace bert::cli
