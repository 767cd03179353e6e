// The fields of config.json for disentangled attention.
#pragma once

#include "bert/config.h"
#include "engine/base/json/json_object.h"

namespace bert {

// Sets type_vocab_size, `disentangled` and position_embedding_type of a configuration whose sizes are read. Throws
// Error for values that the reference fails on, and, by name, for what is not supported.
void read_disentangled_attention(const JsonObject& fields, ModelConfig& config);

}  // namespace bert
