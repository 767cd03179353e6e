// The results of embed --kind sparse: text and JSON as they come, or one matrix in CSR form as a .npz file that
// scipy.sparse.load_npz reads. Used by one thread.
#pragma once

#include <memory>
#include <string>

#include "bert/model.h"
#include "program/cli/output/embed_writer.h"

namespace bert::cli {

// format: kText, kJson, kJsonl or kNpz. settings: Model::sparse's. The writer for npz keeps all weights in memory
// until finish(); a failed text has a row without weights.
std::unique_ptr<EmbedWriter> make_sparse_writer(Output& output, OutputFormat format, const Model& model,
                                                const SparseSettings& settings);

AddVectors add_sparse(const Model& model);  // the model outlives the function

// Throws Error for a model that makes no sparse vector; reports how they are made if the model's files do not say it.
SparseSettings settle_sparse(const Model& model, const SparseOptions& chosen, Console& console);

}  // namespace bert::cli
