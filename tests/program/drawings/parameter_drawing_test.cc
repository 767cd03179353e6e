#include "program/drawings/parameter_drawing.h"

#include <gtest/gtest.h>

namespace bert::drawings {
namespace {

TEST(ParameterDrawing, HasABarForEachPart) {
  std::vector<TensorInfo> tensors(4);
  tensors[0].name = "embeddings.LayerNorm.weight";
  tensors[1].name = "embeddings.LayerNorm.bias";
  tensors[2].name = "encoder.layer.0.output.dense.weight";
  tensors[3].name = "encoder.layer.1.output.dense.weight";
  tensors[0].shape = tensors[1].shape = {700};
  tensors[2].shape = tensors[3].shape = {10, 3};
  const std::string drawing = draw_parameters(tensors).wide;
  for (const char* text : {">embeddings.LayerNorm</text>", ">1,400</text>", ">encoder</text>", ">60</text>"}) {
    EXPECT_NE(drawing.find(text), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace bert::drawings
