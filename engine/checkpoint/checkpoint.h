// The weights in a model's directory: model.safetensors, or the shards that model.safetensors.index.json names. Files
// are mapped, so that a tensor's bytes are read on first use, or copied. Immutable after opening; any number of threads
// may use it at the same time. The views that it returns point to its own memory and stay valid when the object is
// moved.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/error.h"
#include "engine/base/aligned_buffer.h"
#include "engine/base/mapped_file.h"
#include "engine/checkpoint/safetensors.h"

namespace bert {

class Checkpoint {
 public:
  // Opens the weights of a directory. Prefers the single file to the index, as the reference library does, and
  // safetensors to all other formats, which are rejected by name. Throws Error with file, tensor, found and expected.
  static Checkpoint open(const std::filesystem::path& directory, bool copied = false);

  // Opens one file of weights.
  static Checkpoint open_file(const std::filesystem::path& file, bool copied = false);

  // Returns whether the directory has the single file or the index.
  static bool is_in(const std::filesystem::path& directory);

  // Reads a safetensors image in memory, which the caller keeps alive. name: for errors and files().
  static Checkpoint from_memory(std::span<const std::byte> image, std::string name);

  std::span<const StoredTensor> tensors() const { return tensors_; }  // file by file, in the order of their data
  const StoredTensor* find(std::string_view name) const;              // nullptr: no such tensor
  const std::vector<std::string>& files() const { return files_; }    // as errors name them
  const std::string& file_of(const StoredTensor& tensor) const { return files_[tensor.file]; }
  const std::string& source() const { return source_; }  // the file, or the index, for errors about missing tensors
  const std::vector<std::string>& notices() const { return notices_; }  // messages for the user, one line each

  // Returns `bytes` if they lie in a mapped file, else an empty span.
  std::span<const std::byte> mapped(std::span<const std::byte> bytes) const;

  // Adds another checkpoint's files; its tensors come after this one's. If two tensors then have the same name, find()
  // returns one of them.
  void append(Checkpoint other);

  // Stays valid when the checkpoint is moved.
  std::span<const MappedFile> mapped_files() const { return mappings_; }

  // Throws Error with the tensor's name and its file before the message.
  [[noreturn]] void refuse(const StoredTensor& tensor, ErrorCode code, const std::string& message) const;

  // Throws Error for the first floating-point number that is not finite (kNonFinite), or that no 32-bit float can hold
  // (kInvalidFile).
  void check_numbers(const StoredTensor& tensor) const;

  // Throws Error(kInvalidFile) if a mapped file was written to since it was opened.
  void check_files() const;

 private:
  explicit Checkpoint(bool copied) : copied_(copied) {}
  std::span<const std::byte> read(RegularFile file);  // into mappings_ or copies_
  void open_shards(const std::filesystem::path& directory, const std::filesystem::path& index_path);
  void add(Safetensors image, std::string name);
  void sort_by_name();

  bool copied_;
  std::vector<MappedFile> mappings_;
  std::vector<AlignedBuffer<char>> copies_;
  std::vector<Safetensors> images_;  // their tensors were moved to tensors_
  std::vector<StoredTensor> tensors_;
  std::vector<uint32_t> by_name_;  // indices into tensors_
  std::vector<std::string> files_;
  std::string source_;
  std::vector<std::string> notices_;
};

}  // namespace bert
