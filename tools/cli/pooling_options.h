// The options of the commands that make one vector per text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bert/model.h"
#include "tools/cli/options.h"

namespace bert::cli {

inline void declare_pooling(OptionTable& table, EmbedOptions& options) {
  table.begin_group("Vector");
  std::vector<std::pair<std::string, PoolingMode>> modes;
  for (const PoolingMode mode : kPoolingModes) modes.emplace_back(name(mode), mode);
  table.choice<PoolingMode>("--pooling", modes, options.pooling,
                            "how the tokens become one vector (default: what the model says)");
  table.on_or_off("--normalize", options.normalize,
                  "scale the vector to length 1, or not (default: what the model says)");
  table.number("--dimensions", options.dimensions,
               "keep the vector's first N numbers, then normalise (default: what the model says)", 1);
  table.text("--prompt", options.prompt, "NAME",
             "the prompt of this name in config_sentence_transformers.json goes before each text");
}

}  // namespace bert::cli
