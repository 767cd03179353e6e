// The scratch memory of one forward pass: the matrices between the layers, and each thread's own scratch. It grows to
// the largest pass so far and never shrinks, so a pass of a known size allocates nothing. One pass at a time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/base/aligned_buffer.h"
#include "engine/kernels/kernels.h"
#include "engine/tensor/matrix.h"

namespace bert {

struct WorkspaceShape {
  size_t tokens = 0;
  size_t longest = 0;  // tokens of the longest sequence
  size_t span = 0;     // with relative positions: the largest last place − first place + 1
  size_t hidden = 0;
  size_t heads = 0;  // columns of the attention heads' outputs
  size_t wide = 0;   // the most columns of the wide matrix
  size_t head_dim = 0;
  size_t rotary_tables = 0;  // number of kinds of rotary positions
  bool keeps_input = false;
  size_t beside = 0;  // columns of a layer's data beside its attention: convolutions, a bottleneck
  size_t threads = 1;
  size_t prepared_inputs = 0;  // the most inputs of a product whose rows of x are quantised or rounded first
};

class Workspace {
 public:
  // Returns the bytes that a pass of this shape needs.
  static size_t bytes(const WorkspaceShape& shape, const Gemm& gemm);

  // Resizes the matrices below; their contents are undefined. Frees matrices that are too small before it allocates.
  void prepare(const WorkspaceShape& shape, const Gemm& gemm);

  MatrixView hidden() const { return hidden_; }      // [tokens, hidden]: passed from layer to layer
  MatrixView attended() const { return attended_; }  // [tokens, hidden]: the sum after a layer's attention
  // [tokens, cols], the same memory for every number of columns: the output of the attention heads, and of norms. cols
  // is at most WorkspaceShape::hidden or ::heads.
  MatrixView context(size_t cols) const;
  // [tokens, cols], the same memory for every number of columns: queries, keys and values, then the intermediate
  // layer. cols is at most WorkspaceShape::wide.
  MatrixView wide(size_t cols) const;
  // [tokens, head_dim]: the cosines and sines of one kind of rotary positions, for the whole pass.
  MatrixView rotary_table(size_t kind) const;
  MatrixView input() const {
    return input_;
  }                                      // [tokens, hidden]: the first layer's input, if
                                         // WorkspaceShape::keeps_input
  MatrixView beside(size_t cols) const;  // [tokens, cols]; cols is at most WorkspaceShape::beside
  std::span<const ScratchView> thread_scratch() const { return thread_scratch_; }
  GemmScratch gemm_scratch() const { return {thread_scratch_, shared_scratch_}; }

 private:
  AlignedBuffer<float> buffer_;
  MatrixView hidden_, attended_, input_;
  float* context_ = nullptr;
  float* wide_ = nullptr;
  float* beside_ = nullptr;
  MatrixView turns_;  // the tables of all kinds, one after another
  std::vector<ScratchView> thread_scratch_;
  ScratchView shared_scratch_;
};

}  // namespace bert
