// Reads the key of digests for redaction.
#pragma once

#include <string>

namespace bert::cli {

// Returns all bytes of the file. Throws Error as common::read_secret_file does.
std::string read_redact_key(const std::string& file);

}  // namespace bert::cli
