#include "program/cli/output/vector_file.h"

#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "program/cli/output/npy.h"

namespace bert::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "both formats are little-endian");

// The size has room for any number of rows and columns, each with at most 20 digits.
constexpr size_t kNpyHeaderBytes = 128;
constexpr size_t kSafetensorsHeaderBytes = 256;

struct TypeFacts {
  std::string_view name, npy, safetensors;
  size_t bytes;                                   // bytes of a number in the file
  std::optional<VectorPrecision> precision = {};  // for quantize_vectors
};

const TypeFacts& facts_of(NumberType type) {
  static constexpr TypeFacts kFacts[] = {{"float32", "<f4", "F32", 4},
                                         {"float16", "<f2", "F16", 2},
                                         {"int8", "|i1", "I8", 1, VectorPrecision::kInt8},
                                         {"uint8", "|u1", "U8", 1, VectorPrecision::kUint8},
                                         {"binary", "|i1", "I8", 1, VectorPrecision::kBinary},
                                         {"ubinary", "|u1", "U8", 1, VectorPrecision::kUbinary}};
  return kFacts[static_cast<size_t>(type)];
}

// The first 8 bytes are the length of the JSON text that follows, which may end with spaces.
std::string safetensors_header(const VectorLayout& layout, size_t rows) {
  const std::string type(facts_of(layout.type).safetensors);
  std::string json = R"({"embeddings":{"dtype":")" + type + R"(","shape":[)" + std::to_string(rows) + "," +
                     std::to_string(layout.columns()) + R"(],"data_offsets":[0,)" +
                     std::to_string(rows * layout.row_bytes()) + "]}}";
  const uint64_t bytes = kSafetensorsHeaderBytes - sizeof(uint64_t);
  json.resize(bytes, ' ');
  std::string header(reinterpret_cast<const char*>(&bytes), sizeof(bytes));
  return header += json;
}

}  // namespace

std::string_view name(NumberType type) { return facts_of(type).name; }

bool needs_ranges(NumberType type) { return type == NumberType::kInt8 || type == NumberType::kUint8; }

uint16_t float16_bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return 0x7E00;  // all NaNs become one
  if (magnitude >= std::bit_cast<uint32_t>(kFloat16Overflow)) return sign | 0x7C00;
  if (magnitude < std::bit_cast<uint32_t>(0x1p-14F)) {
    // Subnormal: the addition rounds to multiples of 2^-24, which are the last bits of the sum.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5F)));
  }
  // The exponent's bias changes from 127 to 15, and 13 bits of the fraction are rounded away.
  const uint32_t rounded = magnitude + 0xFFF + (magnitude >> 13 & 1);
  return static_cast<uint16_t>(sign | ((rounded >> 13) - ((127 - 15) << 10)));
}

size_t VectorLayout::columns() const {
  const std::optional<VectorPrecision> precision = facts_of(type).precision;
  return precision ? vector_bytes(*precision, dimensions) : dimensions;
}

size_t VectorLayout::row_bytes() const { return columns() * facts_of(type).bytes; }

size_t VectorLayout::header_bytes() const { return format == Format::kNpy ? kNpyHeaderBytes : kSafetensorsHeaderBytes; }

std::string VectorLayout::header(size_t rows) const {
  if (format == Format::kSafetensors) return safetensors_header(*this, rows);
  const size_t shape[] = {rows, columns()};
  return npy_header(std::string(facts_of(type).npy), shape, kNpyHeaderBytes);
}

VectorFile::VectorFile(Output& output, const VectorLayout& layout, VectorRanges ranges, size_t rows)
    : output_(output), layout_(layout), ranges_(std::move(ranges)), rows_(rows) {
  if (output_.position() == 0) output_.write(layout_.header(0));
}

void VectorFile::add(std::span<const float> row) {
  row_.resize(layout_.row_bytes());
  if (layout_.type == NumberType::kFloat32) {
    std::memcpy(row_.data(), row.data(), row_.size());
  } else if (const std::optional<VectorPrecision> precision = facts_of(layout_.type).precision) {
    quantize_vectors(row, row.size(), *precision, ranges_, {reinterpret_cast<uint8_t*>(row_.data()), row_.size()});
  } else {
    for (size_t i = 0; i < row.size(); ++i) {
      const uint16_t bits = float16_bits(row[i]);
      std::memcpy(row_.data() + sizeof(bits) * i, &bits, sizeof(bits));
    }
  }
  output_.write(row_);
  ++rows_;
}

void VectorFile::finish() {
  const uint64_t end = output_.position();
  output_.seek(0);
  output_.write(layout_.header(rows_));
  output_.seek(end);
}

}  // namespace bert::cli
