#include "engine/checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <tuple>

#include "bert/error.h"
#include "engine/base/git_lfs.h"
#include "engine/base/joined.h"
#include "engine/base/json/json_scanner.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

constexpr size_t kLengthBytes = 8;

constexpr std::array<StorageType, 22> kStorageTypes = {{
    {"F32", 32, DType::kF32},         {"F16", 16, DType::kF16},
    {"BF16", 16, DType::kBF16},       {"F64", 64, DType::kF64},
    {"I64", 64, DType::kI64},         {"I32", 32, DType::kI32},
    {"I16", 16, DType::kI16},         {"I8", 8, DType::kI8},
    {"U64", 64, DType::kU64},         {"U32", 32, DType::kU32},
    {"U16", 16, DType::kU16},         {"U8", 8, DType::kU8},
    {"BOOL", 8, DType::kBool},        {"F8_E5M2", 8, std::nullopt},
    {"F8_E4M3", 8, std::nullopt},     {"F8_E8M0", 8, std::nullopt},
    {"F8_E4M3FNUZ", 8, std::nullopt}, {"F8_E5M2FNUZ", 8, std::nullopt},
    {"F6_E2M3", 6, std::nullopt},     {"F6_E3M2", 6, std::nullopt},
    {"F4", 4, std::nullopt},          {"C64", 64, std::nullopt},
}};

// A tensor as the header describes it.
struct Entry {
  std::string_view name;
  const StorageType* type = nullptr;
  size_t first_dimension = 0;
  size_t rank = 0;
  uint64_t begin = 0;  // offset in the data
  uint64_t end = 0;
};

class HeaderParser {
 public:
  HeaderParser(std::span<const std::byte> image, std::string_view source, const SafetensorsLimits& limits)
      : image_(image), source_(source), limits_(limits) {}

  Safetensors parse() {
    copy_header();
    read_header();
    for (const Entry& entry : entries_) check_size(entry);
    check_ranges();
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw Error(ErrorCode::kInvalidFile, quote_path(source_) + ": " + message);
  }

  [[noreturn]] void refuse(const Entry& entry, const std::string& message) const {
    throw Error(ErrorCode::kInvalidFile, "tensor " + quote(entry.name) + " in " + quote_path(source_) + ": " + message);
  }

  std::span<const size_t> shape(const Entry& entry) const {
    return {result_.dimensions.data() + entry.first_dimension, entry.rank};
  }

  // Reads the length and copies the header. The file chooses the size of no other memory.
  void copy_header() {
    if (image_.size() < kLengthBytes) {
      refuse("truncated at byte " + std::to_string(image_.size()) + ", expected 8 bytes with the header's length");
    }
    uint64_t length = 0;
    for (size_t i = kLengthBytes; i-- > 0;) length = length << 8 | std::to_integer<uint64_t>(image_[i]);
    if (length > limits_.max_header_bytes) {
      refuse("a header of " + std::to_string(length) + " bytes, expected at most " +
             std::to_string(limits_.max_header_bytes));
    }
    if (length > image_.size() - kLengthBytes) {
      refuse("truncated at byte " + std::to_string(image_.size()) + ", expected " +
             std::to_string(kLengthBytes + length) + " bytes for the header alone");
    }
    result_.header = AlignedBuffer<char>(length);
    if (length > 0) std::memcpy(result_.header.data(), image_.data() + kLengthBytes, length);
    data_ = image_.subspan(kLengthBytes + length);
  }

  void read_header() {
    const std::span<char> text(result_.header.data(), result_.header.size());
    reserve_entries({text.data(), text.size()});
    JsonScanner scanner(text, source_, kLengthBytes);
    // The reference silently keeps the last of two entries with one name; another reader could keep the first.
    scanner.object("the header's opening brace", [&](std::string_view name) {
      name == "__metadata__" ? read_metadata(scanner) : read_entry(scanner, name);
    });
    scanner.end();
  }

  // Reserves the exact number of entries of a regular file, so that no vector has to grow.
  void reserve_entries(std::string_view text) {
    constexpr std::string_view kKey = "\"dtype\"";
    size_t count = 0;
    for (size_t at = text.find(kKey); at != text.npos && count < limits_.max_tensors; at = text.find(kKey, at + 1)) {
      ++count;
    }
    entries_.reserve(count);
    result_.dimensions.reserve(count * 2);
  }

  void read_entry(JsonScanner& scanner, std::string_view name) {
    if (entries_.size() >= limits_.max_tensors) {
      scanner.refuse("more than " + std::to_string(limits_.max_tensors) + " tensors");
    }
    if (name.size() > limits_.max_name_bytes) {
      scanner.refuse("a tensor's name of " + std::to_string(name.size()) + " bytes, expected at most " +
                     std::to_string(limits_.max_name_bytes));
    }
    Entry entry;
    entry.name = name;
    scanner.about("tensor " + quote(name));
    bool has_shape = false;
    bool has_offsets = false;
    scanner.object("an object with dtype, shape and data_offsets", [&](std::string_view key) {
      if (key == "dtype") {
        entry.type = read_type(scanner);
      } else if (key == "shape") {
        has_shape = true;
        read_shape(scanner, entry);
      } else if (key == "data_offsets") {
        has_offsets = true;
        read_offsets(scanner, entry);
      } else {
        scanner.refuse("key " + quote(key) + ", expected 'dtype', 'shape' and 'data_offsets' only");
      }
    });
    const auto require = [&](bool there, const char* key) {
      if (!there) scanner.refuse("no '" + std::string(key) + "', expected one");
    };
    require(entry.type != nullptr, "dtype");
    require(has_shape, "shape");
    require(has_offsets, "data_offsets");
    scanner.about("");
    entries_.push_back(entry);
  }

  const StorageType* read_type(JsonScanner& scanner) const {
    const std::string_view found = scanner.string("a string, the dtype");
    for (const StorageType& type : kStorageTypes) {
      if (type.name == found) return &type;
    }
    const std::string known = joined(kStorageTypes, ", ", [](const StorageType& type) { return type.name; });
    scanner.refuse("dtype " + quote(found, 60) + ", expected one of " + known);
  }

  void read_shape(JsonScanner& scanner, Entry& entry) {
    entry.first_dimension = result_.dimensions.size();
    scanner.array("an array, the shape", [&] {
      if (entry.rank >= limits_.max_rank) {
        scanner.refuse("more than " + std::to_string(limits_.max_rank) + " dimensions, expected at most " +
                       std::to_string(limits_.max_rank));
      }
      result_.dimensions.push_back(scanner.integer("a dimension"));
      ++entry.rank;
    });
  }

  static void read_offsets(JsonScanner& scanner, Entry& entry) {
    size_t count = 0;
    scanner.array("an array, the data_offsets", [&] {
      const uint64_t offset = scanner.integer("an offset");
      if (count < 2) (count == 0 ? entry.begin : entry.end) = offset;
      if (++count > 2) scanner.refuse("more than two data_offsets, expected two");
    });
    if (count != 2) {
      scanner.refuse(std::to_string(count) + " data_offsets, expected two");
    }
  }

  // These strings are not used, but must be valid. null counts as no strings, as in the reference (safetensors 0.8).
  void read_metadata(JsonScanner& scanner) {
    if (scanner.accept_word("null")) return;
    size_t count = 0;
    scanner.object("an object after '__metadata__'", [&](std::string_view key) {
      if (++count > limits_.max_tensors) {
        scanner.refuse("more than " + std::to_string(limits_.max_tensors) + " strings in '__metadata__'");
      }
      scanner.string("a string after " + quote(key) + " in '__metadata__'");
    });
  }

  void check_size(const Entry& entry) const {
    uint64_t bits = 0;
    if (!size_in_bits(entry, bits)) {
      refuse(entry, "shape " + shape_text(shape(entry)) + " of " + std::string(entry.type->name) +
                        ", expected a size below 2^64 bits");
    }
    const std::string found = "data_offsets [" + std::to_string(entry.begin) + ", " + std::to_string(entry.end) + "]";
    if (entry.end < entry.begin) refuse(entry, found + ", expected the end after the begin");
    if (bits % 8 != 0) {
      refuse(entry, "shape " + shape_text(shape(entry)) + " of " + std::string(entry.type->name) + ", " +
                        std::to_string(bits) + " bits, expected whole bytes");
    }
    if (entry.end - entry.begin != bits / 8) {
      refuse(entry, found + ", " + std::to_string(entry.end - entry.begin) + " bytes, expected " +
                        std::to_string(bits / 8) + " for shape " + shape_text(shape(entry)) + " of " +
                        std::string(entry.type->name));
    }
  }

  bool size_in_bits(const Entry& entry, uint64_t& bits) const {
    uint64_t elements = 1;
    for (const uint64_t dimension : shape(entry)) {
      if (__builtin_mul_overflow(elements, dimension, &elements)) return false;
    }
    return !__builtin_mul_overflow(elements, static_cast<uint64_t>(entry.type->bits), &bits);
  }

  // Checks that the tensors, in the order of their data, cover all data without gap or overlap, so each is inside it.
  void check_ranges() {
    std::vector<uint32_t> order(entries_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return std::tuple(entries_[a].begin, entries_[a].end, a) < std::tuple(entries_[b].begin, entries_[b].end, b);
    });
    uint64_t expected = 0;
    for (const uint32_t index : order) {
      const Entry& entry = entries_[index];
      if (entry.begin != expected) {
        refuse(entry, "its data begin at " + std::to_string(entry.begin) + ", expected " + std::to_string(expected) +
                          (entry.begin < expected ? " (an overlap)" : " (a gap)"));
      }
      expected = entry.end;
    }
    if (expected != data_.size()) {
      const size_t data_begin = image_.size() - data_.size();
      refuse((expected > data_.size() ? "truncated at byte " : "bytes after the last tensor: the file ends at byte ") +
             std::to_string(image_.size()) + ", expected " + std::to_string(data_begin) + " + " +
             std::to_string(expected) + " bytes");
    }
    result_.tensors.reserve(entries_.size());
    for (const uint32_t index : order) {
      const Entry& entry = entries_[index];
      result_.tensors.push_back({.name = entry.name,
                                 .type = entry.type,
                                 .shape = shape(entry),
                                 .data = data_.subspan(entry.begin, entry.end - entry.begin)});
    }
  }

  std::span<const std::byte> image_;
  std::string_view source_;
  const SafetensorsLimits& limits_;
  std::span<const std::byte> data_;
  std::vector<Entry> entries_;
  Safetensors result_;
};

}  // namespace

std::string shape_text(std::span<const size_t> shape) {
  std::string text = "[";
  for (const size_t dimension : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(dimension);
  return text + "]";
}

Safetensors parse_safetensors(std::span<const std::byte> image, std::string_view source,
                              const SafetensorsLimits& limits) {
  if (is_git_lfs_pointer({reinterpret_cast<const char*>(image.data()), image.size()})) {
    throw Error(ErrorCode::kInvalidFile, quote_path(source) + ": " + std::string(kFoundGitLfsPointer));
  }
  return HeaderParser(image, source, limits).parse();
}

}  // namespace bert
