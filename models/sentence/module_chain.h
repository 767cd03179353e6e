// Runs the modules after the encoder, in order: from the tokens' vectors to one vector per text. Immutable; several
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

// Rows of a pass that are pooled together.
struct RowRange {
  size_t first, count;
};

class ModuleChain {
 public:
  // Reads the modules' weights, each module's from its own subdirectory of `directory`. Throws Error.
  ModuleChain(std::vector<SentenceModule> modules, size_t hidden_size, const std::filesystem::path& directory,
              const WeightReaderOptions& options = {});

  // Returns the width of the text's vector, before truncation.
  size_t width(const std::optional<PoolingMode>& pooling = {}) const;
  std::vector<std::string> notices() const;  // about the modules' weights
  bool reads_tokens() const;                 // false: forward() does not need run() before it (a static model)
  size_t token_width() const { return token_width_; }
  std::vector<std::string> descriptions() const;  // descriptions of the modules
  // Returns the model's static module if the chain has no other module; a text's vector is then mean_of_rows. Otherwise
  // returns null.
  const StaticModule* static_alone() const {
    return modules_.size() == 1 ? std::get_if<StaticModule>(&modules_.front().kind) : nullptr;
  }
  // Returns [sequences, width(pooling)]. pass: after run(). pooling: overrides the Pooling modules' modes.
  Matrix forward(ForwardPass& pass, const std::optional<PoolingMode>& pooling) const;
  // Returns a vector for each of these ranges of the pass, each inside one sequence: [rows, width(pooling)].
  Matrix forward(ForwardPass& pass, const std::optional<PoolingMode>& pooling, std::span<const RowRange> rows) const;
  // Returns why a text's vector is not a sum of one term per token and a constant term; "" if it is. Normalize modules
  // only scale the sum.
  std::string not_additive(const std::optional<PoolingMode>& pooling) const;
  // Returns these terms, if the vector is such a sum: for each sequence [tokens + 1, width(pooling)], the constant term
  // last. pass: after run() if reads_tokens().
  std::vector<Matrix> terms(ForwardPass& pass, const std::optional<PoolingMode>& pooling) const;
  // Returns, for a chain whose modules all apply to tokens: [tokens, token_width()]. pass: after run().
  Matrix forward_tokens(ForwardPass& pass) const;

 private:
  struct Weights {
    std::optional<LinearPart> product;   // of a Dense module
    std::optional<LinearPart> residual;  // of a Dense module with different widths
    std::optional<Norm> norm;
  };
  class State;
  class Terms;

  std::vector<SentenceModule> modules_;
  std::vector<Weights> weights_;  // for each module
  size_t width_;                  // width of the text's vector with the modules' own poolings
  size_t token_width_;
  size_t widest_product_ = 0;  // the most columns that a Dense module reads
  size_t hidden_size_;
  std::vector<WeightStorage> storages_;
};

// Makes the chain of a model's modules with their weights. If weights are missing or in an unsupported format, the
// error becomes the settings' pooling_refusal and the chain is the settings' plain pooling: encoding still works.
ModuleChain load_modules(SentenceSettings& settings, size_t hidden_size, const std::filesystem::path& directory,
                         const WeightReaderOptions& options);

}  // namespace bert
