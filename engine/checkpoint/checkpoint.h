// The weights of a model as its directory holds them: model.safetensors, or the shards that
// model.safetensors.index.json names. Files are mapped, not read: a tensor's bytes come from disk, or the page cache,
// when they are first used. Immutable after opening; any number of threads may use one at once. Everything it hands out
// lies in its own memory and stays where it is when the object is moved.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/mapped_file.h"
#include "engine/checkpoint/safetensors.h"

namespace bert {

class Checkpoint {
 public:
  // Where both lie, the single file is taken before the index, as the reference library does, and safetensors before
  // all other formats, which are refused by name. Throws Error naming file, tensor, found and expected.
  static Checkpoint open(const std::filesystem::path& directory);

  // A safetensors image in memory, which the caller keeps alive. `name` stands for the file in errors and in files().
  static Checkpoint from_memory(std::span<const std::byte> image, std::string name);

  std::span<const StoredTensor> tensors() const { return tensors_; }  // file by file, in the order of their data
  const StoredTensor* find(std::string_view name) const;              // nullptr: there is none
  const std::vector<std::string>& files() const { return files_; }    // as errors name them
  const std::string& file_of(const StoredTensor& tensor) const { return files_[tensor.file]; }
  const std::string& source() const {
    return source_;
  }  // the one file, or the index: where a missing tensor is missing
  const std::vector<std::string>& notices() const { return notices_; }  // what a person should know; each a line

 private:
  Checkpoint() = default;
  void open_shards(const std::filesystem::path& directory, const std::filesystem::path& index_path);
  void add(Safetensors image, std::string name);
  void sort_by_name();

  std::vector<MappedFile> mappings_;
  std::vector<Safetensors> images_;  // whose tensors_ have moved to tensors_ below
  std::vector<StoredTensor> tensors_;
  std::vector<uint32_t> by_name_;  // indices into tensors_
  std::vector<std::string> files_;
  std::string source_;
  std::vector<std::string> notices_;
};

}  // namespace bert
