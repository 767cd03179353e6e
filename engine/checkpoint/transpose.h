// Transposes matrices of a file, because products read weights as [out, in]. Stateless.
#pragma once

#include <cstddef>

namespace bert {

struct TransposeWork {
  const void* source;    // [count, rows, cols] elements
  void* target;          // [count, cols, rows]; other memory
  size_t element_bytes;  // 2 or 4; source and target are aligned to it
  size_t count;
  size_t rows;
  size_t cols;
};

void run_transpose(const TransposeWork& work, size_t threads);

}  // namespace bert
