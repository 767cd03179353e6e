// The panels of a model's weights in a file beside them, "panels.<precision>-<order of their numbers>". It is mapped,
// so processes share the panels, and the first pass is as fast as later ones except for a check. It is a safetensors
// file with a tensor of bytes for each weight of the layers. A tensor's name consists of the weight's number in the
// plan, a checksum of its shape and some of its numbers, and digests of all of its numbers and of the panels; so panels
// of other weights are not found. The name of an empty tensor encodes the size, time and inode of the weights' files:
// if these differ, as after a copy, all numbers are read to check their digests. Immutable; any number of threads may
// read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/mapped_file.h"
#include "engine/base/thread_pool.h"
#include "engine/base/utf8_path.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/kernels/kernels.h"
#include "models/encoder/plan.h"

namespace bert {

// Returns the file's name for the plan's weights and this backend; empty if the backend makes no panels or there are no
// layers.
std::string panel_file_name(const EncoderPlan& plan, const Gemm& gemm);

// Writes the file, replacing an existing one. Throws Error(kIo).
void write_panels(const std::filesystem::path& path, const Checkpoint& checkpoint, const EncoderPlan& plan,
                  const Gemm& gemm, ThreadPool& pool);

class PanelFile {
 public:
  // Opens the file for the plan's weights beside the checkpoint's first file; returns nullopt if there is none. Only
  // weights in the checkpoint's mapped files can have panels, not those that were changed when they were read. Adds a
  // notice if the file is for other weights, or if there are only panels for other CPUs or precisions. Throws
  // Error(kInvalidFile) for a damaged file.
  static std::optional<PanelFile> open(const Checkpoint& checkpoint, const EncoderPlan& plan, const Gemm& gemm,
                                       std::vector<std::string>& notices);

  // Returns the panels of the weight with this number in the plan; null: the file has none.
  const float* panels(size_t number) const { return panels_[number]; }
  const MappedFile& file() const { return file_; }
  const std::string& path() const { return path_; }
  size_t bytes() const { return file_.bytes().size(); }

  // Reads all panels. Throws Error(kInvalidFile) if a digest differs.
  void check_digests(ThreadPool& pool) const;

  // Makes the panels again and compares every byte. Throws Error(kInvalidFile) if one differs.
  void check(const EncoderPlan& plan, const Gemm& gemm, ThreadPool& pool) const;

 private:
  explicit PanelFile(RegularFile file) : path_(utf8(file.path())), file_(MappedFile::map(std::move(file))) {}

  std::string path_;
  MappedFile file_;
  // For each weight of the plan; null, empty and 0 if the file has no panels for it.
  std::vector<const float*> panels_;
  std::vector<std::span<const std::byte>> panel_bytes_;
  std::vector<uint64_t> digests_;
};

}  // namespace bert
