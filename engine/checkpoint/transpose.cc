#include "engine/checkpoint/transpose.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "engine/base/pages.h"
#include "engine/base/thread_pool.h"
#include "engine/checkpoint/elements.h"
#include "engine/checkpoint/weight_reader.h"

namespace bert {
namespace {

constexpr size_t kBlock = 32;  // rows and columns that are read and written together, in few cache lines

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

// A member of WeightReader, defined here beside the transposition.
WeightView WeightReader::transposed(std::string_view name, std::span<const size_t> shape, size_t in, WeightRole role) {
  const StoredTensor& tensor = take(name, shape, role);
  const WeightFormat format = *float_format(*tensor.type->dtype);
  const size_t out = shape.back(), size = element_bytes(format);
  const size_t elements = tensor.elements(), matrices = elements / (in * out);
  void* target = allocate(elements * size).data();
  const auto kept = static_cast<std::ptrdiff_t>(storage_.conversions.size());
  const void* source = numbers(tensor, format == WeightFormat::kF32 ? DType::kF32 : *tensor.type->dtype);
  run_transpose({source, target, size, matrices, in, out}, options_.threads);
  storage_.conversions.erase(storage_.conversions.begin() + kept, storage_.conversions.end());  // removes the copy of
                                                                                                // the source
  let_go(storage_.checkpoint.mapped(tensor.data));
  storage_.used_bytes[index_of(tensor)] = elements * size;
  return {.data = target, .format = format, .rows = matrices * out, .cols = in, .arithmetic = arithmetic_of(role)};
}

WeightView WeightReader::expert_weights(std::string_view name, size_t count, size_t in, size_t out, WeightRole role) {
  const auto [begin, end] = range_of(name);
  const bool has_int8 = begin < end && storage_.checkpoint.tensors()[by_name_[begin].tensor].type->dtype == DType::kI8;
  if (has_int8) {
    const size_t shape[] = {count, out, in};
    const StoredTensor& tensor = take(name, shape, role, true);
    return int8_matrix(name, tensor, {tensor.data.data(), DType::kI8, count * out, in, nullptr, nullptr, nullptr});
  }
  const size_t shape[] = {count, in, out};
  const WeightView turned = transposed(name, shape, in, role);
  if (!options_.quantize || role != WeightRole::kProjection) return turned;
  sources_.push_back(std::move(storage_.conversions.back()));
  storage_.conversions.pop_back();
  const StoredTensor& tensor = storage_.checkpoint.tensors()[by_name_[begin].tensor];
  const DType type = turned.format == WeightFormat::kF32 ? DType::kF32 : *tensor.type->dtype;
  return int8_matrix(name, tensor,
                     {static_cast<const std::byte*>(turned.data), type, turned.rows, in, nullptr, nullptr, nullptr});
}

}  // namespace bert
