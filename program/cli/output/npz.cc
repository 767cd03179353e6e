// The .npz part of npy.h: minizip writes the archive through our Output.
#include <minizip/zip.h>

#include <algorithm>

#include "program/cli/output/npy.h"

namespace bert::cli {
namespace {

// 1 January 1980, the zip format's zero, so that equal results give equal bytes at any time.
constexpr uLong kDosDate = 1u << 21 | 1u << 16;
constexpr size_t kZip64Bytes = 0xFFFFFFFFu;

// Implements minizip's file interface on an Output. An exception must not cross C code, so it is stored here.
struct ZipStream {
  Output& output;
  std::string error;
};

voidpf open_stream(voidpf stream, const void*, int) { return stream; }

uLong read_stream(voidpf, voidpf, void*, uLong) { return 0; }  // minizip reads only when it appends

uLong write_stream(voidpf opaque, voidpf, const void* bytes, uLong count) {
  auto& stream = *static_cast<ZipStream*>(opaque);
  try {
    stream.output.write({static_cast<const char*>(bytes), count});
    return count;
  } catch (const std::exception& error) {
    stream.error = error.what();
    return 0;
  }
}

ZPOS64_T tell_stream(voidpf opaque, voidpf) { return static_cast<ZipStream*>(opaque)->output.position(); }

long seek_stream(voidpf opaque, voidpf, ZPOS64_T offset, int origin) {
  auto& stream = *static_cast<ZipStream*>(opaque);
  try {
    const uint64_t base = origin == ZLIB_FILEFUNC_SEEK_CUR ? stream.output.position() : 0;
    if (origin == ZLIB_FILEFUNC_SEEK_END) return -1;  // a new archive is written from begin to end
    stream.output.seek(base + offset);
    return 0;
  } catch (const std::exception& error) {
    stream.error = error.what();
    return -1;
  }
}

int close_stream(voidpf, voidpf) { return 0; }  // the owner commits the Output

int stream_error(voidpf opaque, voidpf) { return static_cast<ZipStream*>(opaque)->error.empty() ? 0 : 1; }

}  // namespace

struct NpzResults::Archive {
  ZipStream stream;
  zipFile file = nullptr;

  void check(int result) const {
    if (result == ZIP_OK) return;
    throw OutputError(stream.error.empty() ? "cannot write the npz archive (zip error " + std::to_string(result) + ")"
                                           : stream.error);
  }
};

NpzResults::NpzResults(Output& output) : archive_(new Archive{{output, {}}}) {
  zlib_filefunc64_def functions{open_stream, read_stream,  write_stream, tell_stream,
                                seek_stream, close_stream, stream_error, &archive_->stream};
  archive_->file = zipOpen2_64("npz", APPEND_STATUS_CREATE, nullptr, &functions);
  if (archive_->file == nullptr) throw OutputError("cannot begin the npz archive");
}

NpzResults::~NpzResults() {
  if (archive_->file != nullptr) zipClose(archive_->file, nullptr);
}

void NpzResults::add(std::vector<Array> arrays) {
  if (results_ == 0) {
    first_ = std::move(arrays);
  } else {
    if (first_.has_value()) {
      for (const Array& array : *first_) write(array, "0/" + array.name);
      first_.reset();
    }
    for (const Array& array : arrays) write(array, std::to_string(results_) + "/" + array.name);
  }
  ++results_;
}

void NpzResults::write(const Array& array, const std::string& name) {
  const std::string header = npy_header(array.dtype, array.shape);
  const int zip64 = header.size() + array.bytes.size() >= kZip64Bytes ? 1 : 0;
  zip_fileinfo info{};
  info.dosDate = kDosDate;
  archive_->check(zipOpenNewFileInZip64(archive_->file, (name + ".npy").c_str(), &info, nullptr, 0, nullptr, 0, nullptr,
                                        0 /* stored */, 0, zip64));
  archive_->check(zipWriteInFileInZip(archive_->file, header.data(), static_cast<unsigned>(header.size())));
  for (size_t at = 0; at < array.bytes.size();) {
    const size_t count = std::min<size_t>(array.bytes.size() - at, size_t{1} << 30);  // minizip's sizes are unsigned
    archive_->check(zipWriteInFileInZip(archive_->file, array.bytes.data() + at, static_cast<unsigned>(count)));
    at += count;
  }
  archive_->check(zipCloseFileInZip(archive_->file));
}

void NpzResults::finish() {
  if (first_.has_value()) {
    for (const Array& array : *first_) write(array, array.name);
    first_.reset();
  }
  const zipFile file = archive_->file;
  archive_->file = nullptr;
  archive_->check(zipClose(file, nullptr));
}

}  // namespace bert::cli
