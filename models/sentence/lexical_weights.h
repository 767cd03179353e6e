// BGE-M3's sparse vectors: the weight of a token is relu(w · hidden + b), the weight of an id is the largest of its
// tokens' weights, and special tokens have none. Immutable; any number of threads may call it, each with its own pass.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "bert/tokenizer.h"
#include "models/sentence/module_chain.h"

namespace bert {

class LexicalWeights {
 public:
  // tokenizer: null if the model has none; then no id is left out. Throws Error as ModuleChain does, and kInvalidFile
  // for a head with more than one output.
  LexicalWeights(const LexicalModule& module, size_t hidden_size, const std::filesystem::path& directory,
                 const WeightReaderOptions& options, const Tokenizer* tokenizer);

  // Computes the vectors, [sequences]. pass: after run().
  std::vector<SparseVector> weights(ForwardPass& pass) const;

 private:
  ModuleChain dense_;
  std::vector<int32_t> left_out_;  // special ids, ascending
};

}  // namespace bert
