// Dot products of vectors with many rows: a matrix product, with the rows in the place of weights. Immutable; safe to
// call from many threads, each with memory of its own.
#pragma once

#include <cstddef>
#include <string>

#include "engine/base/aligned_buffer.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/gemm/native_gemm.h"

namespace bert {

// How many vectors so many numbers are. Throws Error(kInvalidArgument) unless they are whole ones. what: whose numbers,
// begins the message.
size_t whole_vectors(size_t numbers, size_t size, const std::string& what = "");

class VectorProducts {
 public:
  // The memory of a thread.
  struct Room {
    AlignedBuffer<float> scratch;
    ThreadPool alone{1};  // a product is the thread's own
  };

  VectorProducts();

  // products: [vectors, rows] = vectors · rows.   rows: [products.cols, vectors.cols], contiguous
  void multiply(ConstMatrixView vectors, const float* rows, MatrixView products, Room& room) const;

 private:
  NativeGemm gemm_;
};

}  // namespace bert
