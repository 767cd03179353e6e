#include "engine/checkpoint/transpose.h"

#include <algorithm>
#include <cstdint>

#include "engine/base/thread_pool.h"

namespace bert {
namespace {

constexpr size_t kBlock = 32;  // rows and columns that are read and written together, in few lines of the cache

template <class Element>
void transpose_rows(const TransposeWork& work, size_t matrix, size_t first, size_t end) {
  const Element* source = static_cast<const Element*>(work.source) + matrix * work.rows * work.cols;
  Element* target = static_cast<Element*>(work.target) + matrix * work.rows * work.cols;
  for (size_t begin = 0; begin < work.cols; begin += kBlock) {
    for (size_t col = begin; col < std::min(begin + kBlock, work.cols); ++col) {
      for (size_t row = first; row < end; ++row) target[col * work.rows + row] = source[row * work.cols + col];
    }
  }
}

}  // namespace

void run_transpose(const TransposeWork& work, size_t threads) {
  const size_t blocks = (work.rows + kBlock - 1) / kBlock;
  ThreadPool pool(threads, ThreadPool::Missing::kIsAccepted);
  pool.run_rows(work.count * blocks, [&](size_t first, size_t count) {
    for (size_t block = first; block < first + count; ++block) {
      const size_t row = block % blocks * kBlock, end = std::min(row + kBlock, work.rows);
      if (work.element_bytes == sizeof(uint16_t)) {
        transpose_rows<uint16_t>(work, block / blocks, row, end);
      } else {
        transpose_rows<uint32_t>(work, block / blocks, row, end);
      }
    }
  });
}

}  // namespace bert
