// The files of the built-in model, embedded by the build. Throws Error(kNotFound) if the library was built without it.
// Immutable.
#pragma once

#include <cstddef>
#include <span>

#include "engine/base/file_source.h"

namespace bert {

MemorySource builtin_files();                      // config.json, vocab.txt, …
std::span<const std::byte> builtin_safetensors();  // model.safetensors, 64-byte aligned

}  // namespace bert
