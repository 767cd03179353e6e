// What a user says of redaction: expressions with their labels, and the key of digests.
#pragma once

#include <string>

#include "bert/redact.h"

namespace bert::cli {

// "LABEL=EXPRESSION". Throws UsageError.
RedactExpression redact_expression(const std::string& text);

// All bytes of the file. Throws Error, as common::read_secret_file.
std::string read_redact_key(const std::string& file);

}  // namespace bert::cli
