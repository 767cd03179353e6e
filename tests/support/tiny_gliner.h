// A small GLiNER model with weights from a seed, over the small BERT of tiny_model.h.
#pragma once

#include <functional>
#include <string>

#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_model.h"

namespace bert::test {

struct TinyGliner {
  bool reads_words = false;                     // scores words instead of spans
  bool encodes_labels = false;                  // is a bi-encoder
  size_t hidden = 24;                           // any other size than 24, the encoder's, needs a projection
  std::string settings = {};                    // more members of gliner_config.json, such as R"("max_len": 5)"
  std::function<void(TinyTensors&)> edit = {};  // may change the tensors before they are written
};

// Writes gliner_config.json, model.safetensors, and the tokenizer's files with the markers as added tokens.
void write_tiny_gliner(const TemporaryDirectory& directory, const TinyGliner& model = {});

}  // namespace bert::test
