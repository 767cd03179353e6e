// A small GLiNER2 model with weights from a seed, over the small BERT of tiny_model.h.
#pragma once

#include <string>

#include "tests/support/temporary_directory.h"

namespace bert::test {

struct TinyGliner2 {
  bool has_boundaries = false;  // finds entities by boundaries instead of spans
  std::string settings = {};    // more members of config.json, such as R"("token_pooling": "mean")"
  bool has_markers = true;      // whether the tokenizer has the markers
};

// Writes config.json, encoder_config/config.json, the tokenizer's files and model.safetensors.
void write_tiny_gliner2(const TemporaryDirectory& directory, const TinyGliner2& model = {});

}  // namespace bert::test
