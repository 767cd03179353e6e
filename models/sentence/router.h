// The Router of sentence-transformers (Asym before its version 5): a module that runs one of several chains of modules,
// its routes, chosen by the text's task, such as query or document. A loaded model uses one route, so the route's
// modules replace the Router. Stateless.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_source.h"
#include "models/sentence/sentence_modules.h"

namespace bert {

bool has_router(const std::vector<NamedModule>& modules);

// Returns the modules, with each Router replaced by the modules of its route for `task`, or of its default route.
// Throws Error: kInvalidArgument for a task without a route, and for no task if one must be named; kInvalidFile.
// Without a task, a message about the route is added to `notices`, unless null.
std::vector<NamedModule> follow_routes(const std::vector<NamedModule>& modules, const FileSource& files,
                                       const std::optional<std::string>& task, std::vector<std::string>* notices);

}  // namespace bert
