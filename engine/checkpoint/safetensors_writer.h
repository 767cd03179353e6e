// Writes safetensors files. Every tensor whose size is a multiple of 64 bytes begins at a multiple of 64 in the file,
// so that a mapped file can be used in place; the format allows no gaps, so the other tensors come last. Stateless.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace bert {

struct TensorToWrite {
  std::string name;
  std::string type;  // "F32", "I8", …
  std::vector<size_t> shape;
  std::span<const std::byte> data;
};

// Writes the file. Throws Error(kIo) with the file's name.
void write_safetensors(const std::filesystem::path& path, std::vector<TensorToWrite> tensors);

}  // namespace bert
