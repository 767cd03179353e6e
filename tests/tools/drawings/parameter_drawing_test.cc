// The parameters of the parts of a model, by hand from their shapes.
#include "tools/drawings/parameter_drawing.h"

#include <gtest/gtest.h>

#include <vector>

namespace bert::test {
namespace {

size_t count_of(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(ParameterDrawing, HasABarForEachModuleAndEachLayer) {
  const std::vector<TensorInfo> tensors = {{"embeddings.word_embeddings.weight", "F32", {30522, 768}, 0, true},
                                           {"embeddings.LayerNorm.weight", "F32", {768}, 0, true},
                                           {"embeddings.LayerNorm.bias", "F32", {768}, 0, true},
                                           {"encoder.layer.0.output.dense.weight", "F32", {768, 3072}, 0, true},
                                           {"encoder.layer.0.output.dense.bias", "F32", {768}, 0, true},
                                           {"encoder.layer.11.output.dense.bias", "F32", {768}, 0, true},
                                           {"cls.predictions.bias", "F32", {30522}, 0, false}};
  const std::string svg = drawings::draw_parameters(tensors);
  for (const char* text : {">23,440,896 in 1 tensor<", ">1,536 in 2 tensors<", ">2,360,064 in 2 tensors<",
                           ">768 in 1 tensor<", ">embeddings.LayerNorm<", ">encoder.layer.0<", ">encoder.layer.11<"}) {
    EXPECT_EQ(count_of(svg, text), 1u) << text;
  }
  EXPECT_EQ(count_of(svg, "<rect"), 4u);
  EXPECT_EQ(svg.find("cls"), std::string::npos);
}

}  // namespace
}  // namespace bert::test
