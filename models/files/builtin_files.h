// The files of the built-in model. The build embeds them, or they are beside the binary (BERT_INFER_BUILTIN_BESIDE: a
// wheel's module and program share them). Functions throw Error(kNotFound) if there are none. Immutable.
#pragma once

#include <cstddef>
#include <span>

#include "engine/base/file_source.h"

namespace bert {

MemorySource builtin_files();                      // config.json, vocab.txt, …
std::span<const std::byte> builtin_safetensors();  // model.safetensors, 64-byte aligned

}  // namespace bert
