// Compressed input, by its first bytes: gzip (RFC 1952, several members too) and zstd (RFC 8878, several frames too).
// Bounded memory: gzip 32 KiB, zstd a window of at most 128 MiB. Used by one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

namespace bert::cli {

enum class Compression { kNone, kGzip, kZstd };

// The compression of a file that begins with these bytes; none if more bytes are needed to tell.
std::optional<Compression> compression_of(std::string_view beginning);

// The data is not what its first bytes say. The message says what is wrong with it.
class CompressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Decompressor {
 public:
  static std::unique_ptr<Decompressor> of(Compression compression);  // not kNone
  virtual ~Decompressor() = default;

  // Decompresses from the front of `from`, which loses what was used, into `to`; returns the number of bytes written.
  // If `to` became full, more may come without further input. Throws CompressionError.
  virtual size_t decompress(std::span<const char>& from, std::span<char> to) = 0;

  // The end of a member or frame: a file that ends elsewhere is truncated.
  virtual bool is_at_end() const = 0;
};

}  // namespace bert::cli
