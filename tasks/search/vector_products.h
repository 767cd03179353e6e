// Dot products of vectors with many rows, as a matrix product in which the rows are the weights. Immutable; safe to
// call from many threads, each with its own Room.
#pragma once

#include <cstddef>
#include <string>

#include "engine/base/aligned_buffer.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/gemm/native_gemm.h"

namespace bert {

// Returns how many vectors this many numbers make. Throws Error(kInvalidArgument) unless they are whole vectors. what:
// begins the message, names the numbers.
size_t whole_vectors(size_t numbers, size_t size, const std::string& what = "");

class VectorProducts {
 public:
  // Scratch memory of a thread.
  struct Room {
    AlignedBuffer<float> scratch;
    ThreadPool alone{1};  // a product runs only in the calling thread
  };

  VectorProducts();

  // Computes products: [vectors, rows] = vectors · rows.   rows: [products.cols, vectors.cols], contiguous
  void multiply(ConstMatrixView vectors, const float* rows, MatrixView products, Room& room) const;

 private:
  NativeGemm gemm_;
};

}  // namespace bert
