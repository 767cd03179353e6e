#include "engine/search/index_file.h"

#include <bit>
#include <cstring>
#include <optional>

#include "bert/error.h"
#include "engine/base/aligned_buffer.h"

namespace bert {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint64_t kMaxSize = uint64_t{1} << 24;  // numbers of a vector

bool is(const char (&magic)[8], std::string_view expected) { return std::memcmp(magic, expected.data(), 8) == 0; }

std::string_view bytes_of(const void* data, size_t bytes) { return {static_cast<const char*>(data), bytes}; }

size_t padding_of(size_t bytes) { return round_up(bytes, kAlignment) - bytes; }

// Bytes between the head and the tail; nullopt if they are more than memory can have.
std::optional<size_t> body_bytes(const IndexHead& head, uint64_t rows) {
  const auto scan = static_cast<ScanRows>(head.scan);
  const size_t each = padded_floats(head.size) * sizeof(float) + small_row_bytes(scan, head.size) + sizeof(Int8Row);
  if (rows > (SIZE_MAX >> 2) / each || head.label_bytes > SIZE_MAX >> 2) return std::nullopt;
  size_t bytes = round_up(sizeof(IndexHead) + head.label_bytes, kAlignment);
  bytes += rows * padded_floats(head.size) * sizeof(float);
  bytes += round_up(rows * small_row_bytes(scan, head.size), kAlignment);
  if (scan == ScanRows::kInt8) bytes += round_up(rows * sizeof(Int8Row), kAlignment);
  return bytes;
}

}  // namespace

IndexContent parse_index(std::span<const std::byte> bytes, const std::string& name) {
  const auto fail = [&](const std::string& what) -> Error {
    return Error(ErrorCode::kInvalidFile, name + ": " + what);
  };
  IndexHead head;
  IndexTail tail;
  if (bytes.size() < sizeof(head) + sizeof(tail)) throw fail("not an index of vectors: it is too short");
  std::memcpy(&head, bytes.data(), sizeof(head));
  std::memcpy(&tail, bytes.data() + bytes.size() - sizeof(tail), sizeof(tail));
  if (!is(head.magic, kIndexMagic))
    throw fail("not an index of vectors: it does not begin with " + std::string(kIndexMagic));
  if (head.version != kIndexVersion) {
    throw fail("an index of version " + std::to_string(head.version) + ", expected " + std::to_string(kIndexVersion));
  }
  if (!is(tail.magic, kIndexEnd)) throw fail("the index is incomplete");
  if (head.scan > static_cast<uint32_t>(ScanRows::kBinary) || head.size == 0 || head.size > kMaxSize ||
      tail.unusable_rows > tail.rows || !(tail.norm >= 0 && tail.norm <= kMaxNorm) ||
      !(tail.rounding_error >= 0 && tail.rounding_error <= kMaxNorm)) {
    throw fail("the index is damaged: its head or its tail has an impossible value");
  }
  const std::optional<size_t> body = body_bytes(head, tail.rows);
  if (!body || *body + sizeof(tail) != bytes.size()) {
    throw fail("the index is damaged: " + std::to_string(bytes.size()) + " bytes do not fit its " +
               std::to_string(tail.rows) + " rows of " + std::to_string(head.size) + " numbers");
  }

  IndexContent content;
  RowsView& rows = content.rows;
  rows.scan = static_cast<ScanRows>(head.scan);
  rows.rows = tail.rows;
  rows.size = head.size;
  rows.limits = {tail.norm, tail.rounding_error};
  content.unusable_rows = tail.unusable_rows;
  content.label = {reinterpret_cast<const char*>(bytes.data()) + sizeof(head), head.label_bytes};
  const std::byte* at = bytes.data() + round_up(sizeof(head) + head.label_bytes, kAlignment);
  rows.floats = reinterpret_cast<const float*>(at);
  at += rows.rows * padded_floats(rows.size) * sizeof(float);
  if (rows.scan != ScanRows::kFloat32) rows.small = at;
  at += round_up(rows.rows * small_row_bytes(rows.scan, rows.size), kAlignment);
  if (rows.scan == ScanRows::kInt8) rows.int8_rows = reinterpret_cast<const Int8Row*>(at);
  return content;
}

struct VectorIndexWriter::State {
  State(Write write_bytes, size_t size, ScanRows scan_rows)
      : write(std::move(write_bytes)), scan(scan_rows), builder(scan, size) {}

  void pad(size_t bytes) { write(std::string(padding_of(bytes), '\0')); }

  Write write;
  ScanRows scan;
  RowBuilder builder;
  size_t rows = 0;
  std::string small;  // of all rows
  std::vector<Int8Row> int8_rows;
};

VectorIndexWriter::VectorIndexWriter(Write write, size_t size, ScanRows scan, std::string_view label) {
  if (size == 0 || size > kMaxSize) {
    throw Error(ErrorCode::kInvalidArgument,
                "vectors of " + std::to_string(size) + " numbers, expected 1 to " + std::to_string(kMaxSize));
  }
  state_ = std::make_unique<State>(std::move(write), size, scan);
  IndexHead head = {};
  std::memcpy(head.magic, kIndexMagic.data(), sizeof(head.magic));
  head.version = kIndexVersion;
  head.scan = static_cast<uint32_t>(scan);
  head.size = size;
  head.label_bytes = label.size();
  state_->write(bytes_of(&head, sizeof(head)));
  state_->write(label);
  state_->pad(sizeof(head) + label.size());
}

VectorIndexWriter::~VectorIndexWriter() = default;

void VectorIndexWriter::add(std::span<const float> vector) {
  State& state = *state_;
  state.builder.convert(vector, state.rows++);
  state.write(bytes_of(state.builder.floats().data(), state.builder.floats().size_bytes()));
  state.small += bytes_of(state.builder.small().data(), state.builder.small().size());
  if (state.scan == ScanRows::kInt8) state.int8_rows.push_back(state.builder.int8_row());
}

void VectorIndexWriter::finish() {
  State& state = *state_;
  state.write(state.small);
  state.pad(state.small.size());
  const std::string_view int8_rows = bytes_of(state.int8_rows.data(), state.int8_rows.size() * sizeof(Int8Row));
  state.write(int8_rows);
  state.pad(int8_rows.size());
  IndexTail tail = {};
  tail.rows = state.rows;
  tail.unusable_rows = state.builder.unusable();
  tail.norm = state.builder.limits().norm;
  tail.rounding_error = state.builder.limits().rounding_error;
  std::memcpy(tail.magic, kIndexEnd.data(), sizeof(tail.magic));
  state.write(bytes_of(&tail, sizeof(tail)));
}

}  // namespace bert
