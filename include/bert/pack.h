// Packed weights in a file: a copy of the weights of a model's layers, in the order in which this CPU's matrix products
// read them, stored beside the model's weights. A model that finds such a file maps it: the first pass reads it once to
// check its digests and is then as fast as later ones, and processes share one copy. Results have the same bits with
// the file and without it. A pass with a damaged file throws Error(kInvalidFile).
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

// Writes the file "panels.<precision>-<order>" into `folder`, or, if that is empty, into the folder with the model's
// weights, where the model finds it; a file of that name is replaced. name as in Model::load, a directory or a model in
// the hub's local cache. Of options, revision, threads, gemm, precision and ignore_unexpected are used. Throws Error:
// what Model::load throws; kInvalidArgument for Precision::kInt8, whose weights are made in memory; kUnsupported for a
// model without layers, and if products read weights as they are stored; kIo; kOutOfMemory if less memory is free than
// the file needs.
BERT_API PackedFile pack(const std::string& name, const LoadOptions& options = {},
                         const std::filesystem::path& folder = {});

// Compares every number of the model's file of packed weights (ModelDescription::panel_file) with the model's weights.
// Throws Error(kInvalidFile) if a number differs. Does nothing if the model has no such file.
BERT_API void check_packed_file(const Model& model);

}  // namespace bert
