#include "engine/kernels/gemm/native_gemm.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/base/hash/xxh64.h"
#include "engine/kernels/gemm/cache_blocks.h"
#include "engine/kernels/gemm/coarse_row.h"
#include "engine/kernels/gemm/packed_weight.h"

namespace bert {
namespace {

size_t outs_of(std::span<const LinearPart> parts) {
  size_t outs = 0;
  for (const LinearPart& part : parts) outs += part.weight.rows;
  return outs;
}

// How the outputs and the rows of a product are split into tasks. A task is a group of panels for all rows, so that
// each weight is read and transposed once: as many panels as the cache and load balance allow. With many threads and
// few panels the rows are split as well, until each thread has several tasks for balance.
class Tasks {
 public:
  Tasks(const Product& product, const ProductKernel& kernel, const CacheBlocks& blocks, size_t threads)
      : parts_(product.parts) {
    const size_t rows = product.x.rows;
    const size_t enough = threads == 1 ? 1 : 3 * threads;
    const size_t panels = (outs_of(parts_) + kernel.output_tile - 1) / kernel.output_tile;
    group_outs_ = std::clamp<size_t>(panels / enough, 1, blocks.group_panels) * kernel.output_tile;
    for (const LinearPart& part : parts_) groups_ += groups_of(part);
    size_t row_blocks = 1;
    while (groups_ * row_blocks < enough && rows / row_blocks > 8 * kernel.row_tile) ++row_blocks;
    rows_per_task_ = round_up((rows + row_blocks - 1) / row_blocks, kernel.row_tile);
    count_ = groups_ * row_blocks;
  }

  size_t count() const { return count_; }
  size_t first_row(size_t task) const { return task / groups_ * rows_per_task_; }
  size_t rows() const { return rows_per_task_; }  // the most of a task
  size_t outs() const { return group_outs_; }     // the most of a task

  // The first output of a task: in its part, and in y.
  struct Place {
    const LinearPart& part;
    size_t out;
    size_t column;
    const void* weight() const { return part.weight.row(out).data; }
  };
  Place place(size_t task) const {
    size_t group = task % groups_;
    size_t column = 0;
    const LinearPart* part = parts_.data();
    for (; group >= groups_of(*part); ++part) {
      group -= groups_of(*part);
      column += part->weight.rows;
    }
    const size_t out = group * group_outs_;
    return {*part, out, column + out};
  }

 private:
  size_t groups_of(const LinearPart& part) const { return (part.weight.rows + group_outs_ - 1) / group_outs_; }

  std::span<const LinearPart> parts_;
  size_t group_outs_ = 0;
  size_t groups_ = 0;
  size_t rows_per_task_ = 0;
  size_t count_ = 0;
};

// Prepares every row of x once, on all threads.
void prepare_rows(const ProductKernel& kernel, const Product& product, ThreadPool& pool, float* prepared) {
  const ConstMatrixView& x = product.x;
  const size_t row_floats = kernel.prepared_row_floats(x.cols);
  pool.run_rows(x.rows, [&](size_t first, size_t rows) {
    kernel.prepare({.x = x.row(first),
                    .x_stride = x.stride,
                    .rows = rows,
                    .in = x.cols,
                    .prepared = prepared + first * row_floats});
    if (!is_8_bit(product.parts.front().weight.format)) return;
    for (size_t row = first; product.coarse_rows != nullptr && row < first + rows; ++row) {
      product.coarse_rows[row] += is_coarse({x.row(row), x.cols}, prepared[row * row_floats]);
    }
  });
}

size_t panels_of(const ProductKernel& kernel, const WeightView& weight) {
  return (weight.rows + kernel.output_tile - 1) / kernel.output_tile;
}

size_t packed_floats(const ProductKernel& kernel, const WeightView& weight) {
  if (kernel.packed_output_floats == nullptr) return 0;
  return panels_of(kernel, weight) * kernel.output_tile * kernel.packed_output_floats(weight.cols);
}

void pack_weight(const ProductKernel& kernel, const WeightView& weight, ThreadPool& pool, float* panels) {
  const size_t output_floats = kernel.packed_output_floats(weight.cols);
  pool.run(panels_of(kernel, weight), [&](size_t panel, size_t) {
    const size_t out = panel * kernel.output_tile;
    kernel.pack(weight.row(out).data, weight.cols, std::min(kernel.output_tile, weight.rows - out),
                panels + out * output_floats);
  });
}

// Packs weights whose panels are to be kept, if no other thread has begun to.
void pack_parts(const ProductKernel& kernel, std::span<const LinearPart> parts, ThreadPool& pool) {
  if (kernel.pack == nullptr) return;
  for (const LinearPart& part : parts) {
    if (part.packed == nullptr || part.packed->panels() != nullptr) continue;
    float* packed = part.packed->begin(packed_floats(kernel, part.weight));
    if (packed == nullptr) continue;
    pack_weight(kernel, part.weight, pool, packed);
    part.packed->finish();
  }
}

}  // namespace

NativeGemm::NativeGemm(const ProductKernels& kernels, const CacheSizes& caches) {
  for (size_t i = 0; i < kernels.size(); ++i) kernels_[i] = {kernels[i], cache_blocks(*kernels[i], caches)};
}

size_t NativeGemm::scratch_floats(size_t) const { return kGemmScratchFloats; }

size_t NativeGemm::shared_scratch_floats(size_t rows, size_t in) const {
  size_t floats = 0;
  if (in == 0) return 0;
  for (const auto& [kernel, blocks] : kernels_) {
    if (kernel->prepare != nullptr) floats = std::max(floats, rows * kernel->prepared_row_floats(in));
  }
  return floats;
}

size_t NativeGemm::packed_floats(const WeightView& weight) const {
  return bert::packed_floats(*kernel_for(weight).kernel, weight);
}

void NativeGemm::pack(const WeightView& weight, ThreadPool& pool, float* panels) const {
  const ProductKernel& kernel = *kernel_for(weight).kernel;
  if (kernel.pack != nullptr) pack_weight(kernel, weight, pool, panels);
}

// The name contains a checksum of the panels of a small weight whose numbers all differ.
std::string NativeGemm::panels_name(WeightFormat format, ProductArithmetic arithmetic) const {
  const ProductKernel& kernel = *kernels_[kernel_index(format, arithmetic)].kernel;
  if (kernel.pack == nullptr) return "";
  constexpr size_t kRows = 72, kInputs = 136;  // not multiples of a panel's outputs and a block's inputs
  std::vector<uint32_t> numbers(kRows * kInputs);
  std::iota(numbers.begin(), numbers.end(), uint32_t{0x3F000000});
  const WeightView weight{.data = numbers.data(), .format = format, .rows = kRows, .cols = kInputs};
  std::vector<float> panels(bert::packed_floats(kernel, weight));
  ThreadPool pool(1);
  pack_weight(kernel, weight, pool, panels.data());
  return hexadecimal(xxh64(std::as_bytes(std::span(panels)))).substr(8);
}

void NativeGemm::multiply(const Product& product, ThreadPool& pool, const GemmScratch& scratch) const {
  // Adjacent parts with one kernel are one product; usually all parts are.
  size_t column = 0;
  for (size_t begin = 0, end = 0; begin < product.parts.size(); begin = end) {
    const KernelInUse& with = kernel_for(product.parts[begin].weight);
    while (end < product.parts.size() && &kernel_for(product.parts[end].weight) == &with) ++end;
    Product part = product;
    part.parts = product.parts.subspan(begin, end - begin);
    part.y.data += column;
    if (part.residual.data != nullptr) part.residual.data += column;
    column += outs_of(part.parts);
    multiply_with(with, part, pool, scratch);
  }
}

void NativeGemm::multiply_with(const KernelInUse& with, const Product& product, ThreadPool& pool,
                               const GemmScratch& scratch) {
  const ProductKernel& kernel = *with.kernel;
  const ConstMatrixView& x = product.x;
  if (x.rows == 0 || outs_of(product.parts) == 0) return;
  const float* prepared = nullptr;
  size_t prepared_stride = 0;
  if (kernel.prepare != nullptr) {
    prepare_rows(kernel, product, pool, scratch.shared.data);
    prepared = scratch.shared.data;
    prepared_stride = kernel.prepared_row_floats(x.cols);
  }

  pack_parts(kernel, product.parts, pool);
  const Tasks tasks(product, kernel, with.blocks, pool.size());
  pool.run(tasks.count(), [&](size_t task, size_t slot) {
    const size_t first_row = tasks.first_row(task);
    if (first_row >= x.rows) return;
    const Tasks::Place place = tasks.place(task);
    const LinearPart& part = place.part;
    const ConstMatrixView& residual = product.residual;
    GemmArgs args{};
    args.x = x.row(first_row);
    args.x_stride = x.stride;
    args.prepared = prepared == nullptr ? nullptr : prepared + first_row * prepared_stride;
    args.in = part.weight.cols;
    args.weight = place.weight();
    if (const float* panels = part.packed == nullptr ? nullptr : part.packed->panels()) {
      args.panels = panels + place.out * kernel.packed_output_floats(part.weight.cols);
    }
    const size_t next = task + pool.size();  // the threads usually take tasks in turn
    if (part.weight.scales != nullptr) {
      args.weight_scales = part.weight.scales + place.out;
      args.weight_sums = part.weight.sums + place.out;
    }
    args.next_weight = next < tasks.count() ? tasks.place(next).weight() : nullptr;
    args.output = {.rows = std::min(tasks.rows(), x.rows - first_row),
                   .outs = std::min(tasks.outs(), part.weight.rows - place.out),
                   .bias = part.bias == nullptr ? nullptr : part.bias + place.out,
                   .activation = product.activation,
                   .residual = residual.data == nullptr ? nullptr : residual.row(first_row) + place.column,
                   .residual_stride = residual.stride,
                   .y = product.y.row(first_row) + place.column,
                   .y_stride = product.y.stride};
    args.blocks = with.blocks;
    args.scratch = scratch.threads[slot].data;
    kernel.multiply(args);
  });
}

}  // namespace bert
