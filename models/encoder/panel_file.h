// The panels of a model's weights in a file beside them, "panels.<precision>-<order of their numbers>": mapped, so that
// processes share them, and the first pass is as fast as the later ones. A safetensors file with a tensor of bytes for
// each weight of the layers, named by its number in the plan and a checksum of its shape and of some of its numbers:
// those of other weights are not found. Immutable; any number of threads may read it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/mapped_file.h"
#include "engine/base/thread_pool.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/kernels/kernels.h"
#include "models/encoder/plan.h"

namespace bert {

// The file's name for the plan's weights and this backend; empty if the backend makes no panels or there are no layers.
std::string panel_file_name(const EncoderPlan& plan, const Gemm& gemm);

// Writes the file, and replaces an existing one. Throws Error(kIo).
void write_panels(const std::filesystem::path& path, const EncoderPlan& plan, const Gemm& gemm, ThreadPool& pool);

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

  // Makes the panels anew and compares every byte. Throws Error(kInvalidFile) if one differs.
  void check(const EncoderPlan& plan, const Gemm& gemm, ThreadPool& pool) const;

 private:
  explicit PanelFile(RegularFile file) : path_(file.path().string()), file_(MappedFile::map(std::move(file))) {}

  std::string path_;
  MappedFile file_;
  std::vector<const float*> panels_;
};

}  // namespace bert
