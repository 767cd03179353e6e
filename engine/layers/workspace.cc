#include "engine/layers/workspace.h"

#include <algorithm>

#include "engine/layers/relative_positions.h"

namespace bert {
namespace {

// Whole cache lines, and never a multiple of 1 KiB: rows that far apart map to few of the cache's sets, and a tile of
// rows would evict its own lines.
size_t padded_stride(size_t cols) {
  const size_t stride = round_up(cols, 16);
  return stride % 256 == 0 ? stride + 16 : stride;
}

struct Sizes {
  size_t hidden;         // floats of [tokens, hidden]
  size_t context;        // floats of [tokens, hidden] or [tokens, heads]
  size_t input;          // floats of the kept input, or 0
  size_t wide;           // floats of [tokens, wide]
  size_t beside;         // floats of [tokens, beside]
  size_t rotary_tables;  // floats of [rotary_tables, tokens, head_dim]
  size_t thread;
  size_t shared;  // floats for all threads, during a product

  Sizes(const WorkspaceShape& shape, const Gemm& gemm) {
    hidden = shape.tokens * padded_stride(shape.hidden);
    context = shape.tokens * padded_stride(std::max(shape.hidden, shape.heads));
    input = shape.keeps_input ? hidden : 0;
    wide = shape.tokens * padded_stride(shape.wide);
    beside = shape.beside == 0 ? 0 : shape.tokens * padded_stride(shape.beside);
    rotary_tables = round_up(shape.rotary_tables * shape.tokens * shape.head_dim, kAlignment);
    size_t attention = round_up(attention_scratch_floats(shape.longest, shape.head_dim), kAlignment);
    if (shape.span > 0) attention += RelativePositions::scratch_floats(shape.longest, shape.span, shape.head_dim);
    const size_t widest = std::max({shape.hidden, shape.heads, shape.wide});
    thread = round_up(std::max(gemm.scratch_floats(widest), attention), kAlignment);
    shared = round_up(gemm.shared_scratch_floats(shape.tokens, shape.prepared_inputs), kAlignment);
  }
  size_t floats(size_t threads) const {
    return 2 * hidden + context + input + wide + beside + rotary_tables + threads * thread + shared;
  }
};

}  // namespace

size_t Workspace::bytes(const WorkspaceShape& shape, const Gemm& gemm) {
  return Sizes(shape, gemm).floats(shape.threads) * sizeof(float);
}

void Workspace::prepare(const WorkspaceShape& shape, const Gemm& gemm) {
  const Sizes sizes(shape, gemm);
  const size_t floats = sizes.floats(shape.threads);
  if (floats > buffer_.size()) {
    buffer_ = AlignedBuffer<float>();
    buffer_ = AlignedBuffer<float>(floats);
  }
  float* next = buffer_.data();
  const auto matrix = [&](size_t cols) { return MatrixView{next, shape.tokens, cols, padded_stride(cols)}; };
  for (MatrixView* view : {&hidden_, &attended_}) {
    *view = matrix(shape.hidden);
    next += sizes.hidden;
  }
  context_ = next;
  next += sizes.context;
  input_ = matrix(shape.hidden);  // without a kept input there is no memory for it
  next += sizes.input;
  wide_ = next;
  next += sizes.wide;
  beside_ = next;
  next += sizes.beside;
  turns_ = {next, shape.tokens, shape.head_dim, shape.head_dim};
  next += sizes.rotary_tables;
  thread_scratch_.resize(shape.threads);
  for (ScratchView& scratch : thread_scratch_) {
    scratch = {next, sizes.thread};
    next += sizes.thread;
  }
  shared_scratch_ = {next, sizes.shared};
}

MatrixView Workspace::rotary_table(size_t kind) const {
  return {turns_.row(kind * turns_.rows), turns_.rows, turns_.cols, turns_.stride};
}

MatrixView Workspace::context(size_t cols) const { return {context_, hidden_.rows, cols, padded_stride(cols)}; }

MatrixView Workspace::wide(size_t cols) const { return {wide_, hidden_.rows, cols, padded_stride(cols)}; }

MatrixView Workspace::beside(size_t cols) const { return {beside_, hidden_.rows, cols, padded_stride(cols)}; }

}  // namespace bert
