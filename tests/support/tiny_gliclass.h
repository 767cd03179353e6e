// A small GLiClass model with weights from a seed, over the small BERT of tiny_model.h.
#pragma once

#include <string>

#include "tests/support/temporary_directory.h"

namespace bert::test {

struct TinyGliClass {
  std::string architecture = "uni-encoder";
  std::string scorer = "simple";
  bool lstm = false;
  std::string settings = {};  // more members of config.json, such as R"("prompt_first": false)"
};

// Writes config.json, model.safetensors, and the tokenizer's files with the markers as added tokens. Labels come before
// the text, unless the settings say otherwise.
void write_tiny_gliclass(const TemporaryDirectory& directory, const TinyGliClass& model = {});

}  // namespace bert::test
