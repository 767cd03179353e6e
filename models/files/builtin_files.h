// The files of the built-in model, embedded by the build, or beside the binary (BERT_INFER_BUILTIN_BESIDE: a wheel's
// module and program share them). Throws Error(kNotFound) if there are none. Immutable.
#pragma once

#include <cstddef>
#include <span>

#include "engine/base/file_source.h"

namespace bert {

MemorySource builtin_files();                      // config.json, vocab.txt, …
std::span<const std::byte> builtin_safetensors();  // model.safetensors, 64-byte aligned

}  // namespace bert
