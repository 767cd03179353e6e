// Bundles: a copy of the program with a model appended, one file that is an embedder, classifier or server of that
// model.
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
  uint64_t bytes = 0;  // size of `out`
  size_t files = 0;
  std::vector<std::string> not_copied;  // files of the model's directory that are not in the bundle
};

// Writes the bundle `out`: the program, without a bundle that it already has, and the files of the model `name` (as in
// Model::load, which loads the model first). `out` appears when it is complete; Model::load takes its path as it takes
// a directory. Of options, revision and ignore_unexpected are used. program: an executable for Linux (ELF, 64 bits);
// empty: the running program. Throws Error: what Model::load throws; if `out` exists; if a file cannot be read or
// written.
BERT_API WrittenBundle write_bundle(const std::string& name, const std::filesystem::path& out,
                                    const LoadOptions& options = {}, const std::filesystem::path& program = {});

// Returns the path of the running program's file if it is a bundle, for Model::load; else nullopt. Throws
// Error(kInvalidFile) if the bytes after the program's end are not a whole bundle.
BERT_API std::optional<std::string> bundled_model();

struct BundleInfo {
  std::string name;  // the model's name, as given to write_bundle
  size_t files = 0;
  uint64_t bytes = 0;  // size of the model's files
};
// Describes the bundle at `path`, which Model::load would take; nullopt if the file is not a bundle.
BERT_API std::optional<BundleInfo> bundle_info(const std::string& path);

}  // namespace bert
