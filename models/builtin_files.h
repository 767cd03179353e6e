// The files of the small model inside the library, as the build put them there. Throws Error(kNotFound) where the
// library was built without. Immutable.
#pragma once

#include <cstddef>
#include <span>

#include "engine/base/file_source.h"

namespace bert {

MemorySource builtin_files();                      // config.json, vocab.txt, …
std::span<const std::byte> builtin_safetensors();  // model.safetensors, 64-byte aligned

}  // namespace bert
