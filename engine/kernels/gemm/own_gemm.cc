#include "engine/kernels/gemm/own_gemm.h"

#include <algorithm>

namespace bert {

void OwnGemm::multiply(const Product& product, ThreadPool& pool, std::span<const ScratchView> scratch) const {
  // A task is one panel of outputs for all rows, so that its weights are read and transposed once. With many threads
  // and few panels the rows are cut as well, until each thread has some tasks to balance with.
  const size_t panel = kernels_.output_tile;
  size_t panels = 0;
  for (const LinearPart& part : product.parts) panels += (part.weight.rows + panel - 1) / panel;
  const size_t rows = product.x.rows;
  if (rows == 0 || panels == 0) return;
  size_t row_blocks = 1;
  while (panels * row_blocks < 4 * pool.size() && rows / row_blocks > 8 * kernels_.row_tile) ++row_blocks;
  const size_t rows_per_block = round_up((rows + row_blocks - 1) / row_blocks, kernels_.row_tile);

  pool.run(panels * row_blocks, [&](size_t task, size_t slot) {
    const size_t first_row = task / panels * rows_per_block;
    if (first_row >= rows) return;
    size_t index = task % panels;
    size_t column = 0;  // of y, where the part's outputs begin
    for (const LinearPart& part : product.parts) {
      const size_t part_panels = (part.weight.rows + panel - 1) / panel;
      if (index >= part_panels) {
        index -= part_panels;
        column += part.weight.rows;
        continue;
      }
      const size_t out = index * panel;
      const ConstMatrixView& residual = product.residual;
      GemmArgs args;
      args.x = product.x.row(first_row);
      args.x_stride = product.x.stride;
      args.rows = std::min(rows_per_block, rows - first_row);
      args.in = part.weight.cols;
      args.weight = part.weight.row(out);
      args.outs = std::min(panel, part.weight.rows - out);
      args.bias = part.bias == nullptr ? nullptr : part.bias + out;
      args.activation = product.activation;
      args.residual = residual.data == nullptr ? nullptr : residual.row(first_row) + column + out;
      args.residual_stride = residual.stride;
      args.y = product.y.row(first_row) + column + out;
      args.y_stride = product.y.stride;
      args.scratch = scratch[slot].data;
      kernels_.gemm[weight_type(part.weight.dtype)](args);
      return;
    }
  });
}

}  // namespace bert
