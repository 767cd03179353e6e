// A model in the program's own file: one file that is a working embedder, classifier or server of that model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bert/export.h"
#include "bert/model.h"

namespace bert {

struct WrittenBundle {
  uint64_t program_bytes = 0;
  uint64_t bytes = 0;  // of the whole
  size_t files = 0;
  std::vector<std::string> not_copied;  // files of the model's directory that are not in it
};

// Writes `out`: the program, without a bundle that it has, and the files of the model `name` (as in Model::load, which
// loads it first). `out` appears when it is complete. Model::load takes its path as it takes a directory. Of options,
// revision and ignore_unexpected are used. program: a file for Linux (ELF, 64 bits); empty: the running program.
// Throws Error: what Model::load throws; if `out` is there; if a file cannot be read or written.
BERT_API WrittenBundle write_bundle(const std::string& name, const std::filesystem::path& out,
                                    const LoadOptions& options = {}, const std::filesystem::path& program = {});

// The running program's file if it has a model, for Model::load. Throws Error(kInvalidFile) if bytes follow the
// program's end that are no whole bundle.
BERT_API std::optional<std::string> bundled_model();

struct BundleInfo {
  std::string name;  // of the model, as it was given
  size_t files = 0;
  uint64_t bytes = 0;  // of the files
};
// What the bundle at a path that Model::load takes contains; nullopt if the file is no bundle.
BERT_API std::optional<BundleInfo> bundle_info(const std::string& path);

}  // namespace bert
