// The panels of a model's weights in a file beside them, "panels.<precision>-<order of their numbers>": mapped, so that
// processes share them, and the first pass is as fast as the later ones but for a check. A safetensors file with a
// tensor of bytes for each weight of the layers, named by its number in the plan, a checksum of its shape and of some
// of its numbers, and digests of all of its numbers and of the panels: those of other weights are not found. An empty
// tensor's name is made of the size, the time and the inode of the weights' files: where they are others, as after a
// copy, all numbers are read for their digests. Immutable; any number of threads may read it.
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

// The file's name for the plan's weights and this backend; empty if the backend makes no panels or there are no layers.
std::string panel_file_name(const EncoderPlan& plan, const Gemm& gemm);

// Writes the file, and replaces an existing one. Throws Error(kIo).
void write_panels(const std::filesystem::path& path, const Checkpoint& checkpoint, const EncoderPlan& plan,
                  const Gemm& gemm, ThreadPool& pool);

class PanelFile {
 public:
  // The file for the plan's weights beside the checkpoint's first file, if it is there. Only weights that lie in the
  // checkpoint's mapped files have panels, none that were changed when they were read. A notice tells if the file is of
  // other weights, or if there are panels for other CPUs or precisions alone. Throws Error(kInvalidFile) for a damaged
  // file.
  static std::optional<PanelFile> open(const Checkpoint& checkpoint, const EncoderPlan& plan, const Gemm& gemm,
                                       std::vector<std::string>& notices);

  // Of the weight with this number in the plan; null: the file has none.
  const float* panels(size_t number) const { return panels_[number]; }
  const MappedFile& file() const { return file_; }
  const std::string& path() const { return path_; }
  size_t bytes() const { return file_.bytes().size(); }

  // Reads all panels. Throws Error(kInvalidFile) if one does not have its digest.
  void check_digests(ThreadPool& pool) const;

  // Makes the panels anew and compares every byte. Throws Error(kInvalidFile) if one differs.
  void check(const EncoderPlan& plan, const Gemm& gemm, ThreadPool& pool) const;

 private:
  explicit PanelFile(RegularFile file) : path_(utf8(file.path())), file_(MappedFile::map(std::move(file))) {}

  std::string path_;
  MappedFile file_;
  // Of each weight of the plan; null, empty and 0 where the file has no panels of it.
  std::vector<const float*> panels_;
  std::vector<std::span<const std::byte>> panel_bytes_;
  std::vector<uint64_t> digests_;
};

}  // namespace bert
