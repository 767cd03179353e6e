// Loads a small model that makes every kind of vector, as BGE-M3 does, and computes the vectors of a few texts.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "tests/models/tiny_model_test.h"

namespace bert::test {

class TinyM3Test : public ::testing::Test {
 protected:
  Model load() const {
    write_tiny_m3(directory_);
    return Model::load(directory_.path().string(), {.threads = 2});
  }

  // Returns the vectors of the texts. Throws the first text's Error.
  static std::vector<TextVectors> vectors_of(const Model& model, const VectorRequest& request) {
    VectorTexts all = model.vectors(kTexts, request);
    if (all.reports[0].error) throw *all.reports[0].error;
    return std::move(all.vectors);
  }

  inline static const VectorRequest kAll{.dense = EmbedOptions{}, .sparse = SparseOptions{}, .tokens = true};
  inline static const std::vector<std::string_view> kTexts = {"the fox", "fox dog fox the quick", "dog"};

  const TemporaryDirectory directory_;
};

}  // namespace bert::test
