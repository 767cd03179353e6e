// The key of digests.
#pragma once

#include <string>

namespace bert::cli {

// All bytes of the file. Throws Error, as common::read_secret_file.
std::string read_redact_key(const std::string& file);

}  // namespace bert::cli
