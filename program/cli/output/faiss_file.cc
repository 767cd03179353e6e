#include "program/cli/output/faiss_file.h"

#include <cstdint>

#include "program/cli/output/output.h"

namespace bert::cli {
namespace {

template <class Number>
void append(std::string& bytes, Number value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

// Source of the layout: faiss/impl/index_write.cpp (version 1.9), write_index_header and the case IndexFlat.
void write_faiss_index(const VectorIndex& index, const std::string& path) {
  constexpr int64_t kUnused = int64_t{1} << 20;  // fields of older versions
  constexpr int32_t kInnerProduct = 0;
  Output file(path, Output::Access::kSeekable);
  std::string header = "IxFI";
  append(header, static_cast<int32_t>(index.size()));
  append(header, static_cast<int64_t>(index.rows()));
  append(header, kUnused);
  append(header, kUnused);
  append(header, uint8_t{1});  // is trained
  append(header, kInnerProduct);
  append(header, static_cast<uint64_t>(index.rows() * index.size()));  // number of floats
  file.write(header);
  for (size_t row = 0; row < index.rows(); ++row) {
    const std::span<const float> vector = index.row(row);
    file.write({reinterpret_cast<const char*>(vector.data()), vector.size_bytes()});
  }
  file.commit();
}

}  // namespace bert::cli
