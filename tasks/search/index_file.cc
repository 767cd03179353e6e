#include "tasks/search/index_file.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>

#include "bert/error.h"
#include "engine/base/aligned_buffer.h"
#include "engine/base/bit_cast.h"
#include "engine/base/hash/xxh64.h"
#include "engine/base/joined.h"

namespace bert {
namespace {

static_assert(std::endian::native == std::endian::little);

struct IndexHead {
  char magic[8];  // kIndexMagic
  uint32_t version;
  uint32_t scan;  // ScanRows
  uint64_t size;
  uint64_t label_bytes;
};

struct IndexTail {
  uint64_t rows;
  uint64_t unusable_rows;
  double norm;  // RowLimits
  double rounding_error;
  uint64_t checksum;  // XXH64 of the blocks' checksums and the members above
  char magic[8];      // kEnd
};

constexpr std::string_view kEnd = "COMPLETE";
constexpr uint32_t kVersion = 2;
constexpr uint64_t kMaxSize = uint64_t{1} << 24;  // numbers of a vector

bool is(const char (&magic)[8], std::string_view expected) { return std::memcmp(magic, expected.data(), 8) == 0; }

std::string_view bytes_of(const void* data, size_t bytes) { return {static_cast<const char*>(data), bytes}; }

size_t padding_of(size_t bytes) { return round_up(bytes, kAlignment) - bytes; }

// Returns the bytes between the head and the tail; nullopt if they exceed any memory.
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

constexpr size_t kTailBytes1 = sizeof(IndexTail) - sizeof(uint64_t);  // in version 1

size_t tail_bytes(uint32_t version) { return version == 1 ? kTailBytes1 : sizeof(IndexTail); }

IndexTail read_tail(std::span<const std::byte> bytes, uint32_t version) {
  IndexTail tail = {};
  if (bytes.size() < sizeof(IndexHead) + tail_bytes(version)) return tail;
  const std::byte* at = bytes.data() + bytes.size() - tail_bytes(version);
  const size_t before = version == 1 ? offsetof(IndexTail, checksum) : offsetof(IndexTail, magic);
  std::memcpy(&tail, at, before);
  std::memcpy(tail.magic, at + before, sizeof(tail.magic));
  return tail;
}

size_t blocks_of(size_t body_bytes) { return (body_bytes + kIndexBlock - 1) / kIndexBlock; }

uint64_t tail_checksum(std::span<const std::byte> checksums, const IndexTail& tail) {
  const auto* members = reinterpret_cast<const std::byte*>(&tail);
  std::vector<std::byte> all(checksums.begin(), checksums.end());
  all.insert(all.end(), members, members + offsetof(IndexTail, checksum));
  return xxh64(all);
}

// Returns whether all numbers are finite: no exponent has only ones.
bool are_finite(std::span<const float> numbers) {
  uint32_t special = 0;
  for (const float number : numbers) {
    special |= static_cast<uint32_t>((bit_cast<uint32_t>(number) & 0x7F800000u) == 0x7F800000u);
  }
  return special == 0;
}

std::span<const float> floats_of(const RowsView& rows, size_t row) {
  return {rows.floats + row * padded_floats(rows.size), rows.size};
}

bool is_usable(const RowsView& rows, size_t row) {
  return are_finite(floats_of(rows, row)) && (rows.int8_rows == nullptr || std::isfinite(rows.int8_rows[row].scale));
}

// Returns whether the row is marked as RowBuilder marks a vector that cannot be found.
bool is_marked_unusable(const RowsView& rows, size_t row) {
  const std::span<const float> floats = floats_of(rows, row);
  return std::all_of(floats.begin(), floats.end(), [](float number) { return std::isnan(number); }) &&
         (rows.int8_rows == nullptr || std::isnan(rows.int8_rows[row].scale));
}

Error bad(const std::string& name, const std::string& what) { return {ErrorCode::kInvalidFile, name + ": " + what}; }

}  // namespace

IndexContent parse_index(std::span<const std::byte> bytes, const std::string& name) {
  IndexHead head;
  if (bytes.size() < sizeof(head) + kTailBytes1) throw bad(name, "not an index of vectors: it is too short");
  std::memcpy(&head, bytes.data(), sizeof(head));
  if (!is(head.magic, kIndexMagic)) {
    throw bad(name, "not an index of vectors: it does not begin with " + std::string(kIndexMagic));
  }
  if (head.version != 1 && head.version != kVersion) {
    throw bad(name,
              "an index of version " + std::to_string(head.version) + ", expected 1 or " + std::to_string(kVersion));
  }
  const IndexTail tail = read_tail(bytes, head.version);
  if (!is(tail.magic, kEnd)) throw bad(name, "the index is incomplete");
  if (head.scan > static_cast<uint32_t>(ScanRows::kBinary) || head.size == 0 || head.size > kMaxSize ||
      tail.unusable_rows > tail.rows || !(tail.norm >= 0 && tail.norm <= kMaxNorm) ||
      !(tail.rounding_error >= 0 && tail.rounding_error <= kMaxNorm)) {
    throw bad(name, "the index is damaged: its head or its tail has an impossible value");
  }
  const std::optional<size_t> body = body_bytes(head, tail.rows);
  const size_t table = body && head.version > 1 ? blocks_of(*body) * sizeof(uint64_t) : 0;
  if (!body || *body + table + tail_bytes(head.version) != bytes.size()) {
    throw bad(name, "the index is damaged: " + std::to_string(bytes.size()) + " bytes do not fit its " +
                        number_of(tail.rows, "row") + " of " + number_of(head.size, "number"));
  }

  IndexContent content;
  content.body = bytes.first(*body);
  content.checksums = bytes.subspan(*body, table);
  if (head.version > 1 && tail_checksum(content.checksums, tail) != tail.checksum) {
    throw bad(name, "the index is damaged: its tail does not match its checksum");
  }
  RowsView& rows = content.rows;
  rows.scan = static_cast<ScanRows>(head.scan);
  rows.rows = tail.rows;
  rows.size = head.size;
  rows.limits = {tail.norm, tail.rounding_error};
  content.unusable_rows = tail.unusable_rows;
  content.label = {reinterpret_cast<const char*>(bytes.data()) + sizeof(head), static_cast<size_t>(head.label_bytes)};
  const std::byte* at = bytes.data() + round_up(sizeof(head) + head.label_bytes, kAlignment);
  rows.floats = reinterpret_cast<const float*>(at);
  at += rows.rows * padded_floats(rows.size) * sizeof(float);
  if (rows.scan != ScanRows::kFloat32) rows.small = at;
  at += round_up(rows.rows * small_row_bytes(rows.scan, rows.size), kAlignment);
  if (rows.scan == ScanRows::kInt8) rows.int8_rows = reinterpret_cast<const Int8Row*>(at);
  return content;
}

void check_index(const IndexContent& content, const std::string& name, ThreadPool& pool) {
  const RowsView& rows = content.rows;
  std::atomic<size_t> unusable{0};
  // Checks the rows that begin in a block while the block is in the cache for hashing.
  pool.run(blocks_of(content.body.size()), [&](size_t block, size_t) {
    const size_t begin = block * kIndexBlock, end = std::min(begin + kIndexBlock, content.body.size());
    if (!content.checksums.empty()) {
      uint64_t expected;
      std::memcpy(&expected, content.checksums.data() + block * sizeof(expected), sizeof(expected));
      if (xxh64(content.body.subspan(begin, end - begin)) != expected) {
        throw bad(name, "the index is damaged: bytes " + std::to_string(begin) + " to " + std::to_string(end) +
                            " do not match their checksum");
      }
    }
    const auto first = static_cast<size_t>(reinterpret_cast<const std::byte*>(rows.floats) - content.body.data());
    const size_t row_bytes = padded_floats(rows.size) * sizeof(float);
    const auto row_at = [&](size_t place) {
      return place <= first ? 0 : std::min((place - first + row_bytes - 1) / row_bytes, rows.rows);
    };
    size_t found = 0;
    for (size_t row = row_at(begin); row < row_at(end); ++row) {
      if (is_usable(rows, row)) continue;
      if (!is_marked_unusable(rows, row)) {
        throw bad(name, "the index is damaged: row " + std::to_string(row) + " has a number that is not finite");
      }
      ++found;
    }
    unusable += found;
  });
  if (unusable != content.unusable_rows) {
    throw bad(name, "the index is damaged: it has " + number_of(unusable, "row") + " of NaN, expected " +
                        std::to_string(content.unusable_rows));
  }
}

struct VectorIndexWriter::State {
  State(Write write, size_t size, ScanRows scan_rows)
      : write_bytes(std::move(write)), scan(scan_rows), builder(scan, size) {}

  void write(std::string_view bytes) {
    write_bytes(bytes);
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, kIndexBlock - block.size());
      block += part;
      bytes.remove_prefix(part.size());
      if (block.size() == kIndexBlock) end_block();
    }
  }
  void pad(size_t bytes) { write(std::string(padding_of(bytes), '\0')); }
  void end_block() {
    if (block.empty()) return;
    const uint64_t checksum = xxh64(std::as_bytes(std::span(block)));
    checksums += bytes_of(&checksum, sizeof(checksum));
    block.clear();
  }

  Write write_bytes;
  ScanRows scan;
  RowBuilder builder;
  size_t rows = 0;
  std::string small;  // the small forms of all rows
  std::vector<Int8Row> int8_rows;
  std::string block;      // bytes of the last block, which is incomplete
  std::string checksums;  // of the other blocks
};

VectorIndexWriter::VectorIndexWriter(Write write, size_t size, ScanRows scan, std::string_view label) {
  if (size == 0 || size > kMaxSize) {
    throw Error(ErrorCode::kInvalidArgument,
                "vectors of " + std::to_string(size) + " numbers, expected 1 to " + std::to_string(kMaxSize));
  }
  state_ = std::make_unique<State>(std::move(write), size, scan);
  IndexHead head = {};
  std::memcpy(head.magic, kIndexMagic.data(), sizeof(head.magic));
  head.version = kVersion;
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
  state.end_block();
  tail.checksum = tail_checksum(std::as_bytes(std::span(state.checksums)), tail);
  std::memcpy(tail.magic, kEnd.data(), sizeof(tail.magic));
  state.write_bytes(state.checksums);
  state.write_bytes(bytes_of(&tail, sizeof(tail)));
}

}  // namespace bert
