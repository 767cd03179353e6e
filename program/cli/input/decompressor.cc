#include "program/cli/input/decompressor.h"

#include <zlib.h>
#include <zstd.h>

#include <new>
#include <string>

namespace bert::cli {
namespace {

struct Signature {
  Compression compression;
  std::string_view bytes;
};
// The third byte of gzip is deflate, its only method.
constexpr Signature kSignatures[] = {{Compression::kGzip, "\x1f\x8b\x08"}, {Compression::kZstd, "\x28\xb5\x2f\xfd"}};

class Gzip : public Decompressor {
 public:
  Gzip() {
    if (::inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { ::inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  size_t decompress(std::span<const char>& from, std::span<char> to) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
    stream_.avail_in = static_cast<uInt>(from.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = static_cast<uInt>(to.size());
    int status = Z_OK;
    while (status == Z_OK && stream_.avail_out > 0 && (stream_.avail_in > 0 || !at_end_)) {
      if (at_end_) ::inflateReset(&stream_);  // another member follows
      at_end_ = false;
      status = ::inflate(&stream_, Z_NO_FLUSH);
      if (status != Z_STREAM_END) continue;
      at_end_ = true;
      status = Z_OK;
    }
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    // Z_BUF_ERROR: all input was used.
    if (status != Z_OK && status != Z_BUF_ERROR) {
      throw CompressionError(std::string("not valid gzip data: ") +
                             (stream_.msg != nullptr ? stream_.msg : "a preset dictionary"));
    }
    from = from.last(stream_.avail_in);
    return to.size() - stream_.avail_out;
  }

  bool is_at_end() const override { return at_end_; }

 private:
  z_stream stream_ = {};
  bool at_end_ = false;
};

class Zstd : public Decompressor {
 public:
  Zstd() : stream_(::ZSTD_createDStream(), &::ZSTD_freeDStream) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }

  size_t decompress(std::span<const char>& from, std::span<char> to) override {
    ZSTD_inBuffer input = {from.data(), from.size(), 0};
    ZSTD_outBuffer output = {to.data(), to.size(), 0};
    size_t before;
    do {
      before = input.pos + output.pos;
      if (at_end_ && input.pos == input.size) break;
      const size_t status = ::ZSTD_decompressStream(stream_.get(), &output, &input);
      if (::ZSTD_isError(status)) {
        throw CompressionError(std::string("not valid zstd data: ") + ::ZSTD_getErrorName(status));
      }
      at_end_ = status == 0;
    } while (output.pos < output.size && input.pos + output.pos > before);
    from = from.subspan(input.pos);
    return output.pos;
  }

  bool is_at_end() const override { return at_end_; }

 private:
  std::unique_ptr<ZSTD_DStream, decltype(&::ZSTD_freeDStream)> stream_;
  bool at_end_ = false;
};

}  // namespace

std::optional<Compression> compression_of(std::string_view beginning) {
  for (const Signature& signature : kSignatures) {
    if (beginning.starts_with(signature.bytes)) return signature.compression;
    if (signature.bytes.starts_with(beginning)) return std::nullopt;
  }
  return Compression::kNone;
}

std::unique_ptr<Decompressor> Decompressor::of(Compression compression) {
  if (compression == Compression::kGzip) return std::make_unique<Gzip>();
  return std::make_unique<Zstd>();
}

}  // namespace bert::cli
