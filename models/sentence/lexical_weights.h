// BGE-M3's sparse vectors: the weight of a token is relu(w · hidden + b), that of an id the largest of its tokens', and
// special tokens have none. Immutable; any number of threads may call it, each with its own pass.
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
  // for a head of more than one output.
  LexicalWeights(const LexicalModule& module, size_t hidden_size, const std::filesystem::path& directory,
                 const WeightReaderOptions& options, const Tokenizer* tokenizer);

  // [sequences]. pass: after run().
  std::vector<SparseVector> weights(ForwardPass& pass) const;

 private:
  ModuleChain dense_;
  std::vector<int32_t> left_out_;  // ascending
};

}  // namespace bert
