#include "engine/kernels/gemm/own_gemm.h"

#include <algorithm>

namespace bert {

void OwnGemm::multiply(const Product& product, ThreadPool& pool, std::span<const ScratchView> scratch) const {
  // A task is some panels of outputs for all rows, so that each weight is read and transposed once: as many as the
  // cache holds and balance allows. With many threads and few panels the rows are cut as well, until each thread has
  // some tasks to balance with.
  const size_t rows = product.x.rows;
  size_t outs = 0;
  for (const LinearPart& part : product.parts) outs += part.weight.rows;
  if (rows == 0 || outs == 0) return;
  const size_t wanted_tasks = pool.size() == 1 ? 1 : 3 * pool.size();
  const size_t panels = (outs + kernels_.output_tile - 1) / kernels_.output_tile;
  const size_t group = std::clamp<size_t>(panels / wanted_tasks, 1, kernels_.group_panels);
  const size_t group_outs = group * kernels_.output_tile;
  const auto groups_of = [&](const LinearPart& part) { return (part.weight.rows + group_outs - 1) / group_outs; };
  size_t groups = 0;
  for (const LinearPart& part : product.parts) groups += groups_of(part);
  size_t row_blocks = 1;
  while (groups * row_blocks < wanted_tasks && rows / row_blocks > 8 * kernels_.row_tile) ++row_blocks;
  const size_t rows_per_block = round_up((rows + row_blocks - 1) / row_blocks, kernels_.row_tile);

  // Where a group of outputs begins, in its part and in y.
  struct Place {
    const LinearPart& part;
    size_t out;
    size_t column;
    const void* weight;
  };
  const auto place_of = [&](size_t group_index) {
    size_t column = 0;
    const LinearPart* part = product.parts.data();
    for (; group_index >= groups_of(*part); ++part) {
      group_index -= groups_of(*part);
      column += part->weight.rows;
    }
    const size_t out = group_index * group_outs;
    return Place{*part, out, column + out, part->weight.row(out)};
  };

  const size_t tasks = groups * row_blocks;
  pool.run(tasks, [&](size_t task, size_t slot) {
    const size_t first_row = task / groups * rows_per_block;
    if (first_row >= rows) return;
    const auto [part, out, column, weight] = place_of(task % groups);
    const ConstMatrixView& residual = product.residual;
    GemmArgs args;
    args.x = product.x.row(first_row);
    args.x_stride = product.x.stride;
    args.rows = std::min(rows_per_block, rows - first_row);
    args.in = part.weight.cols;
    args.weight = weight;
    args.outs = std::min(group_outs, part.weight.rows - out);
    args.bias = part.bias == nullptr ? nullptr : part.bias + out;
    args.activation = product.activation;
    args.residual = residual.data == nullptr ? nullptr : residual.row(first_row) + column;
    args.residual_stride = residual.stride;
    args.y = product.y.row(first_row) + column;
    args.y_stride = product.y.stride;
    args.scratch = scratch[slot].data;
    const size_t next = task + pool.size();  // the threads take tasks in turns, mostly
    args.next_weight = next < tasks ? place_of(next % groups).weight : nullptr;
    kernels_.gemm[weight_type(part.weight.dtype)](args);
  });
}

}  // namespace bert
