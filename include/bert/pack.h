// Packed weights in a file: the weights of a model's layers in the order in which this CPU's products read them, beside
// the weights as they are stored. A model that finds such a file maps it: the first pass reads it once for its digests
// and is then as fast as the later ones, and processes share one copy. The results have the same bits with it and
// without. A pass with a damaged file throws Error(kInvalidFile).
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "bert/export.h"
#include "bert/model.h"

namespace bert {

struct PackedFile {
  std::filesystem::path path;
  size_t bytes = 0;
};

// Writes the file "panels.<precision>-<order>" into the folder with the model's weights, where the model finds it, or
// into `folder`; an existing one of that name is replaced. name as in Model::load, a directory or a model of the hub's
// local cache. Of options, revision, threads, gemm, precision and ignore_unexpected are used. Throws Error: what
// Model::load throws; kInvalidArgument for Precision::kInt8, whose weights are made in memory; kUnsupported for a model
// without layers, and where products read weights as they are stored; kIo; kOutOfMemory if less memory is free than the
// file needs.
BERT_API PackedFile pack(const std::string& name, const LoadOptions& options = {},
                         const std::filesystem::path& folder = {});

// Compares every number of the model's file of packed weights (ModelDescription::panel_file) with its weights. Throws
// Error(kInvalidFile) if one differs. Nothing happens if the model has no such file.
BERT_API void check_packed_file(const Model& model);

}  // namespace bert
