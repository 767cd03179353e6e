#include "tools/cli/options/redact_options.h"

#include <fstream>
#include <iterator>

#include "tools/cli/common.h"
#include "tools/cli/input/input.h"
#include "tools/cli/output/console.h"

namespace bert::cli {

RedactExpression redact_expression(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == text.npos || equals + 1 == text.size()) {
    throw UsageError("expression " + in_quotes(text) + ": expected LABEL=EXPRESSION");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string read_redact_key(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError("cannot open " + in_quotes(file) + ", which has the key of digests");
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace bert::cli
