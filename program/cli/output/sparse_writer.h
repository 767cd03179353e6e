// Writes the results of embed --kind sparse: text and JSON one by one, or one CSR matrix as a .npz file for
// scipy.sparse.load_npz. Used by one thread.
#pragma once

#include <memory>
#include <string>

#include "bert/model.h"
#include "program/cli/output/embed_writer.h"

namespace bert::cli {

// format: kText, kJson, kJsonl or kNpz. settings: from Model::sparse. The writer for npz keeps all weights in memory
// until finish(); a failed text has a row without weights.
std::unique_ptr<EmbedWriter> make_sparse_writer(Output& output, OutputFormat format, const Model& model,
                                                const SparseSettings& settings);

AddVectors add_sparse(const Model& model);  // the model must outlive the function

// Returns how sparse vectors are made; reports it if the model's files do not say it. Throws Error for a model that
// makes none.
SparseSettings settle_sparse(const Model& model, const SparseOptions& chosen, Console& console);

}  // namespace bert::cli
