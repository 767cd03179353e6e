// The licences of everything in the program: its own, the built-in model's notice, and in a static program those of the
// libraries (packaging/release.sh). The build reads the texts from files. Stateless.
#pragma once

#include <string>

namespace bert::cli {

// Returns the texts, each after a line that names what it applies to.
std::string licenses_text();

}  // namespace bert::cli
