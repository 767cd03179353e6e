// Returns the output of a shell command.
#pragma once

#include <string>

namespace bert::lint {

std::string output_of(const std::string& command);

}  // namespace bert::lint
