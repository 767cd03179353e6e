#include "engine/layers/workspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "engine/kernels/gemm/native_gemm.h"

namespace bert {
namespace {

const NativeGemm kGemm(products_for({}));
const WorkspaceShape kShape = {
    .tokens = 40, .longest = 25, .hidden = 36, .heads = 48, .wide = 144, .head_dim = 12, .threads = 3};

TEST(Workspace, HasEveryMatrixInTheShapeAskedFor) {
  Workspace workspace;
  workspace.prepare(kShape, kGemm);
  for (const MatrixView matrix : {workspace.hidden(), workspace.attended(), workspace.context(36)}) {
    EXPECT_EQ(matrix.rows, 40u);
    EXPECT_EQ(matrix.cols, 36u);
  }
  EXPECT_EQ(workspace.context(48).cols, 48u);
  EXPECT_EQ(workspace.wide(144).cols, 144u);
  EXPECT_EQ(workspace.wide(70).cols, 70u);
  ASSERT_EQ(workspace.thread_scratch().size(), 3u);
}

TEST(Workspace, StartsEveryRowOnACacheLineAndKeepsRowsFromTheSameSets) {
  for (const size_t hidden : {1, 36, 128, 256, 384, 768, 1024}) {
    Workspace workspace;
    workspace.prepare({.tokens = 3, .longest = 3, .hidden = hidden, .wide = 4 * hidden, .head_dim = 1}, kGemm);
    for (const MatrixView matrix : {workspace.hidden(), workspace.attended(), workspace.context(hidden),
                                    workspace.wide(3 * hidden), workspace.wide(4 * hidden)}) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(matrix.row(1)) % kAlignment, 0u) << hidden;
      EXPECT_NE(matrix.stride % 256, 0u) << hidden;
      EXPECT_GE(matrix.stride, matrix.cols);
    }
  }
}

TEST(Workspace, KeepsApartWhatLivesAtTheSameTime) {
  Workspace workspace;
  workspace.prepare(kShape, kGemm);
  struct Range {
    const float *begin, *end;
  };
  const auto range = [](MatrixView matrix) { return Range{matrix.data, matrix.data + matrix.rows * matrix.stride}; };
  std::vector<Range> ranges = {range(workspace.hidden()), range(workspace.attended()), range(workspace.context(48)),
                               range(workspace.wide(144))};
  for (const ScratchView scratch : workspace.thread_scratch()) {
    EXPECT_GE(scratch.floats, kGemm.scratch_floats(70));
    EXPECT_GE(scratch.floats, attention_scratch_floats(25, 12));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(scratch.data) % kAlignment, 0u);
    ranges.push_back({scratch.data, scratch.data + scratch.floats});
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  for (size_t i = 1; i < ranges.size(); ++i) EXPECT_LE(ranges[i - 1].end, ranges[i].begin) << "range " << i;
  const auto bytes = static_cast<size_t>(ranges.back().end - ranges.front().begin) * sizeof(float);
  EXPECT_LE(bytes, Workspace::bytes(kShape, kGemm));
}

TEST(Workspace, StaysWhereItIsForWhatFits) {
  Workspace workspace;
  workspace.prepare(kShape, kGemm);
  const float* memory = workspace.hidden().data;
  WorkspaceShape smaller = kShape;
  smaller.tokens = smaller.longest = 7;
  workspace.prepare(smaller, kGemm);
  EXPECT_EQ(workspace.hidden().data, memory);
  EXPECT_EQ(workspace.hidden().rows, 7u);
  workspace.prepare(kShape, kGemm);
  EXPECT_EQ(workspace.hidden().data, memory);
}

TEST(Workspace, GrowsForWhatDoesNotFit) {
  Workspace workspace;
  workspace.prepare(kShape, kGemm);
  WorkspaceShape larger = kShape;
  larger.tokens = 400;
  EXPECT_GT(Workspace::bytes(larger, kGemm), Workspace::bytes(kShape, kGemm));
  workspace.prepare(larger, kGemm);
  EXPECT_EQ(workspace.hidden().rows, 400u);
}

}  // namespace
}  // namespace bert
