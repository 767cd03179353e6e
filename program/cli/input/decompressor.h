// Reads compressed input, recognised by its first bytes: gzip (RFC 1952, also several members) and zstd (RFC 8878, also
// several frames). Memory is bounded: 32 KiB for gzip, a window of at most 128 MiB for zstd. Used by one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

namespace bert::cli {

enum class Compression { kNone, kGzip, kZstd };

// Returns the compression of a file with this beginning; nullopt if more bytes are needed to tell.
std::optional<Compression> compression_of(std::string_view beginning);

// Thrown if the data does not match its first bytes. The message says what is wrong.
class CompressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Decompressor {
 public:
  static std::unique_ptr<Decompressor> of(Compression compression);  // not for kNone
  virtual ~Decompressor() = default;

  // Decompresses from the front of `from`, from which the used bytes are removed, into `to`; returns the number of
  // bytes written. If `to` is full, more bytes may come without further input. Throws CompressionError.
  virtual size_t decompress(std::span<const char>& from, std::span<char> to) = 0;

  // Returns whether this is the end of a member or frame; a file that ends elsewhere is truncated.
  virtual bool is_at_end() const = 0;
};

}  // namespace bert::cli
