// The formats of embed --kind tokens: a late-interaction model's vectors, one for each token of a text.
// Used by one thread.
#pragma once

#include <memory>
#include <string>

#include "program/cli/output/embed_writer.h"

namespace bert::cli {

AddVectors add_tokens(const Model& model);  // the model must outlive the function

// format: kJson, kJsonl or kNpz.
std::unique_ptr<EmbedWriter> make_token_writer(Output& output, OutputFormat format, const Model& model, TextRole role);

}  // namespace bert::cli
