// Computes one product, for count_instructions.py: one_product KERNEL ROWS INPUTS OUTPUTS. OUTPUTS is at most
// kMaxGroupOutputs, the size of a group of panels.
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "engine/base/aligned_buffer.h"
#include "engine/kernels/gemm/cache_blocks.h"
#include "engine/kernels/product_kernel.h"

namespace bert {
namespace {

// The cache sizes of a Neoverse N1.
constexpr CacheSizes kCaches = {.l1_data = size_t{64} << 10, .l2 = size_t{1} << 20};

void multiply_once(const ProductKernel& kernel, size_t rows, size_t in, size_t outs) {
  const std::vector<float> x(rows * in, 0.5f);
  const std::vector<float> weight(outs * in), scales(outs, 1.0f), bias(outs);
  const std::vector<int32_t> sums(outs);
  std::vector<float> y(rows * outs), prepared;
  AlignedBuffer<float> scratch(kGemmScratchFloats);
  if (kernel.prepare != nullptr) {
    prepared.resize(rows * kernel.prepared_row_floats(in));
    kernel.prepare({.x = x.data(), .x_stride = in, .rows = rows, .in = in, .prepared = prepared.data()});
  }
  GemmArgs args{};
  args.x = x.data();
  args.x_stride = in;
  args.prepared = prepared.data();
  args.in = in;
  args.weight = weight.data();
  args.weight_scales = scales.data();
  args.weight_sums = sums.data();
  args.output = {.rows = rows,
                 .outs = outs,
                 .bias = bias.data(),
                 .activation = Activation::kIdentity,
                 .residual = nullptr,
                 .residual_stride = 0,
                 .y = y.data(),
                 .y_stride = outs};
  args.blocks = cache_blocks(kernel, kCaches);
  args.scratch = scratch.data();
  kernel.multiply(args);
}

}  // namespace
}  // namespace bert

int main(int argc, char** argv) {
  const std::map<std::string, const bert::ProductKernel*> kernels = {
      {"float32", &bert::kNeonFloatProducts.f32},    {"bfloat16", &bert::kNeonFloatProducts.bf16},
      {"neon", &bert::kNeonInt8Products.asymmetric}, {"dotprod", &bert::kDotprodInt8Products.asymmetric},
      {"i8mm", &bert::kI8mmInt8Products.asymmetric},
  };
  const auto kernel = argc == 5 ? kernels.find(argv[1]) : kernels.end();
  if (kernel == kernels.end()) {
    std::cerr << "expected KERNEL ROWS INPUTS OUTPUTS\n";
    return 2;
  }
  const auto number = [&](int i) { return static_cast<size_t>(std::strtoul(argv[i], nullptr, 10)); };
  if (number(4) > bert::kMaxGroupOutputs) {
    std::cerr << number(4) << " outputs: expected at most " << bert::kMaxGroupOutputs << "\n";
    return 2;
  }
  bert::multiply_once(*kernel->second, number(2), number(3), number(4));
  return 0;
}
