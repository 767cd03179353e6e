// Writing a program's file with a model at its end.
#include "bert/bundle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "bert/error.h"
#include "bert/quantize.h"
#include "engine/base/bundle.h"
#include "engine/base/file.h"
#include "engine/base/mapped_file.h"
#include "engine/base/program_file.h"
#include "engine/base/quote.h"
#include "engine/base/xxh64.h"
#include "models/quantize/model_directory.h"
#include "models/text/text_settings.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

// A new file, removed unless it is published.
class NewFile {
 public:
  NewFile(const fs::path& path, mode_t mode) : path_(path), partial_(path.string() + ".partial") {
    if (is_there(path)) {
      throw Error(ErrorCode::kInvalidArgument, quote_path(path.native()) + ": exists, expected the name of a new file");
    }
    do file_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    while (file_ < 0 && errno == EINTR);
    if (file_ < 0) fail(errno);
  }
  ~NewFile() {
    if (file_ < 0) return;
    ::close(file_);
    ::unlink(partial_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  uint64_t bytes() const { return bytes_; }

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(errno);
      bytes = bytes.subspan(static_cast<size_t>(written));
      bytes_ += static_cast<uint64_t>(written);
    }
  }

  void write(const std::string& text) { write(std::as_bytes(std::span(text.data(), text.size()))); }

  void publish() {
    if (::fsync(file_) != 0 && errno != EINVAL && errno != ENOTSUP) fail(errno);
    std::error_code error;
    fs::rename(partial_, path_, error);
    if (error) fail(error.value());
    ::close(file_);
    file_ = -1;
  }

 private:
  [[noreturn]] void fail(int error) const {
    throw Error(ErrorCode::kIo, quote_path(partial_.native()) + ": cannot be written: " + std::strerror(error));
  }

  fs::path path_, partial_;
  int file_ = -1;
  uint64_t bytes_ = 0;
};

mode_t mode_of(const fs::path& program) {
  struct stat status = {};
  return ::stat(program.c_str(), &status) == 0 ? status.st_mode & 0777 : 0755;
}

// Of a path, or of a model's name on the hub.
std::string last_name(fs::path path) {
  path = path.lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

}  // namespace

WrittenBundle write_bundle(const std::string& name, const fs::path& out, const LoadOptions& options,
                           const fs::path& program) {
  const fs::path source = find_model(name, options.revision);
  const fs::path carrier = program.empty() ? own_program() : program;
  Bundle bundle{.name = last_name(source == name ? fs::absolute(name) : fs::path(name)),
                .files = {},
                .program_bytes = program_bytes(carrier)};
  const Model model = Model::load(name, options);
  const ModelFiles files = find_files(source, encoder_directory(source), model.describe().files);

  const MappedFile code = MappedFile::open(carrier);
  NewFile written(out, mode_of(carrier));
  written.write(code.bytes().first(bundle.program_bytes));
  for (const fs::path& file : files.all) {
    const MappedFile mapped = MappedFile::open(source / file);
    written.write(std::string(bundled_offset(written.bytes()) - written.bytes(), '\0'));
    bundle.files.push_back({.name = file.generic_string(),
                            .offset = written.bytes(),
                            .bytes = mapped.bytes().size(),
                            .digest = xxh64(mapped.bytes())});
    written.write(mapped.bytes());
    mapped.check_is_unchanged();
  }
  code.check_is_unchanged();
  written.write(bundle_end(bundle, written.bytes()));
  written.publish();
  return {.program_bytes = bundle.program_bytes,
          .bytes = written.bytes(),
          .files = bundle.files.size(),
          .not_copied = files.not_copied};
}

std::optional<std::string> bundled_model() {
  std::optional<fs::path> program = own_bundle();
  if (!program) return std::nullopt;
  return program->string();
}

std::optional<BundleInfo> bundle_info(const std::string& path) {
  const std::optional<BundlePath> found = find_bundle(path);
  if (!found) return std::nullopt;
  BundleInfo info{.name = found->bundle.name, .files = found->bundle.files.size()};
  for (const BundledFile& file : found->bundle.files) info.bytes += file.bytes;
  return info;
}

}  // namespace bert
