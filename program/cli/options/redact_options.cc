#include "program/cli/options/redact_options.h"

#include "program/cli/common.h"
#include "program/cli/output/console.h"
#include "program/common/secret_file.h"

namespace bert::cli {

std::string read_redact_key(const std::string& file) { return read_secret_file(file, "the key of digests"); }

}  // namespace bert::cli
