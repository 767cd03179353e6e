#include "program/cli/options/redact_options.h"

#include "program/cli/common.h"
#include "program/cli/output/console.h"
#include "program/common/secret_file.h"

namespace bert::cli {

RedactExpression redact_expression(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == text.npos || equals + 1 == text.size()) {
    throw UsageError("expression " + in_quotes(text) + ": expected LABEL=EXPRESSION");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string read_redact_key(const std::string& file) { return read_secret_file(file, "the key of digests"); }

}  // namespace bert::cli
