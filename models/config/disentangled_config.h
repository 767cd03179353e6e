// Reads the fields of config.json for disentangled attention.
#pragma once

#include "bert/config.h"
#include "engine/base/json/json_object.h"

namespace bert {

// Sets type_vocab_size, `disentangled` and position_embedding_type of a configuration whose sizes are already read.
// Throws Error for values with which the reference fails, and, by name, for unsupported settings.
void read_disentangled_attention(const JsonObject& fields, ModelConfig& config);

}  // namespace bert
