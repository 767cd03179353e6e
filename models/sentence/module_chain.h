// Runs the modules after the encoder, in order, from the tokens' vectors to one vector per text. Immutable; several
// threads may run it at once, each with its own pass.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bert/model.h"
#include "engine/checkpoint/weight_reader.h"
#include "engine/layers/norm.h"
#include "models/encoder/forward_pass.h"
#include "models/sentence/sentence_settings.h"

namespace bert {

// Tokens of a pass that are pooled together.
struct RowRange {
  size_t first, count;
};

class ModuleChain {
 public:
  // Reads the modules' weights, each from its own subdirectory of `directory`. Throws Error.
  ModuleChain(std::vector<SentenceModule> modules, size_t hidden_size, const std::filesystem::path& directory,
              const WeightReaderOptions& options = {});

  // The width of the text's vector, before truncation.
  size_t width(const std::optional<PoolingMode>& pooling = {}) const;
  std::vector<std::string> notices() const;  // of the modules' weights
  bool reads_tokens() const;                 // false: forward() needs no run() before it (a static model)
  size_t token_width() const { return token_width_; }
  std::vector<std::string> descriptions() const;  // of the modules, in words
  // The only module, if that is a static model's: a text's vector is then mean_of_rows alone.
  const StaticModule* static_alone() const {
    return modules_.size() == 1 ? std::get_if<StaticModule>(&modules_.front().kind) : nullptr;
  }
  // [sequences, width(pooling)]. pass: after run(). pooling: overrides the Pooling modules' modes.
  Matrix forward(ForwardPass& pass, const std::optional<PoolingMode>& pooling) const;
  // The same for these rows of the pass, each of one sequence: [rows, width(pooling)].
  Matrix forward(ForwardPass& pass, const std::optional<PoolingMode>& pooling, std::span<const RowRange> rows) const;
  // Why a text's vector is no sum of terms of its tokens and a constant one; "" if it is. Normalize modules only scale
  // it.
  std::string not_additive(const std::optional<PoolingMode>& pooling) const;
  // These terms, if it is: for each sequence [tokens + 1, width(pooling)], the constant one last. pass: after run() if
  // reads_tokens().
  std::vector<Matrix> terms(ForwardPass& pass, const std::optional<PoolingMode>& pooling) const;
  // For modules of tokens only: [tokens, token_width()]. pass: after run().
  Matrix forward_tokens(ForwardPass& pass) const;

 private:
  struct Weights {
    std::optional<LinearPart> product;   // of a Dense module
    std::optional<LinearPart> residual;  // of one with different widths
    std::optional<Norm> norm;
  };
  class State;
  class Terms;

  std::vector<SentenceModule> modules_;
  std::vector<Weights> weights_;  // of each module
  size_t width_;                  // of the text's vector, with the modules' own poolings
  size_t token_width_;
  size_t widest_product_ = 0;  // the most columns that a Dense module reads
  size_t hidden_size_;
  std::vector<WeightStorage> storages_;
};

// The modules of a model's settings, with their weights. If weights are missing or in an unsupported format, the error
// becomes the settings' refusal and the chain is the settings' plain pooling: encoding still works.
ModuleChain load_modules(SentenceSettings& settings, size_t hidden_size, const std::filesystem::path& directory,
                         const WeightReaderOptions& options);

}  // namespace bert
