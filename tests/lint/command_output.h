// What a command of the shell prints.
#pragma once

#include <string>

namespace bert::lint {

std::string output_of(const std::string& command);

}  // namespace bert::lint
