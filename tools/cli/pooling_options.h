// The options of the commands that make one vector a text.
#pragma once

#include "bert/model.h"
#include "tools/cli/options.h"

namespace bert::cli {

inline void declare_pooling(OptionTable& table, EmbedOptions& options) {
  table.begin_group("Vector");
  table.choice<PoolingMode>("--pooling",
                            {{"cls", PoolingMode::kCls},
                             {"mean", PoolingMode::kMean},
                             {"max", PoolingMode::kMax},
                             {"pooler", PoolingMode::kPooler}},
                            options.pooling, "how the tokens become one vector (default: what the model says)");
  table.on_or_off("--normalize", options.normalize,
                  "scale the vector to length 1, or not (default: what the model says)");
  table.number("--dimensions", options.dimensions, "keep the vector's first N numbers, then normalise (default: all)",
               1);
  table.text("--prompt", options.prompt, "NAME",
             "the prompt of this name in config_sentence_transformers.json goes before each text");
}

// The vectors of a batch, cut from the rows that the model gives.
inline std::vector<std::vector<float>> embed_batch(const Model& model, std::span<const TokenSequence> batch,
                                                   const EmbedOptions& options) {
  const std::vector<float> rows = model.embed(batch, options);
  const size_t columns = rows.size() / batch.size();
  std::vector<std::vector<float>> vectors;
  for (size_t i = 0; i < batch.size(); ++i) {
    const auto begin = rows.begin() + static_cast<ptrdiff_t>(i * columns);
    vectors.emplace_back(begin, begin + static_cast<ptrdiff_t>(columns));
  }
  return vectors;
}

}  // namespace bert::cli
