// The licences of all that is in the program: its own, the built-in model's notice, and in a static program those of
// the libraries (packaging/release.sh). Texts that the build reads from files. Stateless.
#pragma once

#include <string>

namespace bert::cli {

// Each text after a line with the name of what it is about.
std::string licenses_text();

}  // namespace bert::cli
