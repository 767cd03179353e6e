#include "tasks/labels/boundaries/boundary_scores.h"

#include <gtest/gtest.h>

#include "tests/support/compare.h"
#include "tests/tasks/labels/boundaries/boundary_tensors.h"

namespace bert {
namespace {

TEST(BoundaryScores, AreTheFormulas) {
  test::BoundaryTensors tensors(test::small_boundaries());
  tensors.add_scores();
  const size_t width = tensors.settings.width;
  const BoundaryScorer scorer =
      tensors.read([&](WeightReader& weights) { return BoundaryScorer(weights, width, test::kEncoderWidth); });
  const std::vector<float> states = tensors.random().numbers((test::kTextWords + 1) * width);
  test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 4, .threads = 2});
  const ProductRunner products(setup.context(), width);
  const BoundaryScores scores = scorer.forward({states.data(), test::kTextWords + 1, width, width}, tensors.word_view(),
                                               tensors.label_view(), products);
  const std::string all = "boundary_head.boundary_query_head.";
  const auto exact = [&](const std::string& items, const std::string& name, const test::DoubleRows& rows, size_t label,
                         size_t row) {
    return test::dot_of(tensors.dense(all + items, rows[row]),
                        tensors.dense(all + name + "_query_projection", tensors.label_rows()[label])) /
           std::sqrt(static_cast<double>(width));
  };
  const test::DoubleRows boundaries = test::BoundaryTensors::rows_of(states, width);
  for (size_t label = 0; label < test::kTextLabels; ++label) {
    for (size_t i = 0; i <= test::kTextWords; ++i) {
      EXPECT_NEAR(scores.starts.view().row(label)[i], exact("start_boundary_projection", "start", boundaries, label, i),
                  2e-6);
      EXPECT_NEAR(scores.ends.view().row(label)[i], exact("end_boundary_projection", "end", boundaries, label, i),
                  2e-6);
    }
    double sum = 0;
    for (size_t word = 2; word < 6; ++word) {
      sum += exact("inside_text_projection", "inside", tensors.word_rows(), label, word);
    }
    EXPECT_NEAR(scores.inside(label, {2, 6}), sum / 2, 5e-6);
    EXPECT_EQ(scores.start(label, {2, 6}), static_cast<double>(scores.starts.view().row(label)[2]));
    EXPECT_EQ(scores.end(label, {2, 6}), static_cast<double>(scores.ends.view().row(label)[6]));
  }
}

}  // namespace
}  // namespace bert
