#include "tasks/search/vector_products.h"

#include "bert/error.h"

namespace bert {

size_t whole_vectors(size_t numbers, size_t size, const std::string& what) {
  if (size > 0 && numbers % size == 0) return numbers / size;
  throw Error(ErrorCode::kInvalidArgument, what + (what.empty() ? "" : " of ") + std::to_string(numbers) +
                                               " numbers, expected whole vectors of " + std::to_string(size));
}

VectorProducts::VectorProducts() : gemm_(products_for(choose_cpu_features().features)) {}

void VectorProducts::multiply(ConstMatrixView vectors, const float* rows, MatrixView products, Room& room) const {
  const size_t floats = round_up(gemm_.scratch_floats(vectors.cols), kAlignment);
  if (room.scratch.size() < floats) room.scratch = AlignedBuffer<float>(floats);
  const LinearPart part{{rows, WeightFormat::kF32, products.cols, vectors.cols}, nullptr};
  const ScratchView scratch{room.scratch.data(), room.scratch.size()};
  gemm_.multiply({.x = vectors, .parts = {&part, 1}, .y = products}, room.alone, {.threads = {&scratch, 1}});
}

}  // namespace bert
