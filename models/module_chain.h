// Runs the modules after the encoder, in order, from the tokens' vectors to one vector a text. Immutable; several
// threads may run it at once, each with a pass of its own.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bert/model.h"
#include "engine/checkpoint/weight_reader.h"
#include "engine/layers/norm.h"
#include "models/forward_pass.h"
#include "models/sentence_settings.h"

namespace bert {

class ModuleChain {
 public:
  // Reads the modules' weights, each from its own directory in `directory`. Throws Error.
  ModuleChain(std::vector<SentenceModule> modules, size_t hidden_size, const std::filesystem::path& directory,
              const WeightReaderOptions& options = {});

  // Of the text's vector, before it is cut.
  size_t width(const std::optional<PoolingMode>& pooling = {}) const;
  std::vector<std::string> notices() const;  // of the modules' weights
  // [sequences, width(pooling)]. pass: after run(). pooling: in place of the Pooling modules' modes.
  Matrix forward(ForwardPass& pass, const std::optional<PoolingMode>& pooling) const;

 private:
  struct Step {
    SentenceModule module;
    std::optional<LinearPart> product;   // of a Dense module
    std::optional<LinearPart> residual;  // of one whose widths differ
    std::optional<Norm> norm;
  };
  class Run;

  std::vector<Step> steps_;
  size_t widest_product_ = 0;  // the most columns that a Dense module reads
  size_t hidden_size_;
  std::vector<WeightStorage> storages_;
};

// The modules of a model's settings, with their weights. Weights that are missing or of a format that is not read
// become the settings' refusal, and the chain the settings' plain pooling: they keep nobody from encoding.
ModuleChain load_modules(SentenceSettings& settings, size_t hidden_size, const std::filesystem::path& directory,
                         const WeightReaderOptions& options);

}  // namespace bert
