// Checks the caller's lower-case option against the files. Stateless.
#pragma once

#include <string>

#include "bert/tokenizer.h"

namespace bert {

inline std::string true_or_false(bool value) { return value ? "true" : "false"; }

// Throws Error(kInvalidArgument) if options.lowercase is set and differs from `lowercase`, which is whether the files'
// tokenizer lower-cases texts. says: how the files express this, for the message.
inline void check_lowercase_option(const TokenizerOptions& options, bool lowercase, const std::string& says) {
  if (!options.lowercase || *options.lowercase == lowercase) return;
  throw Error(ErrorCode::kInvalidArgument,
              std::string(*options.lowercase ? "lower case" : "cased text") + " was requested, but " +
                  (options.lowercase_first ? "the model's Transformer module says do_lower_case true" : says));
}

}  // namespace bert
