#include "bert/new_file.h"

#include <string>
#include <system_error>

#include "bert/error.h"
#include "engine/base/descriptor.h"
#include "engine/base/file.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

constexpr int kPartialNames = 9;  // temporary names to try; killed runs may have left files with these names

void check(const fs::path& path, const std::error_code& error, const char* hint = "") {
  if (!error) return;
  throw Error(ErrorCode::kIo, quote_path(utf8(path)) + ": cannot be written: " + error.message() + hint);
}

}  // namespace

struct NewFile::State {
  fs::path path, partial;
  Descriptor file;
  uint64_t bytes = 0;
};

NewFile::NewFile(const fs::path& path, Existing existing, fs::perms permissions) : state_(std::make_unique<State>()) {
  if (existing == Existing::kRefuse && is_there(path)) {
    throw Error(ErrorCode::kInvalidArgument, quote_path(utf8(path)) + ": exists, expected the name of a new file");
  }
  State& state = *state_;
  state.path = path;
  std::error_code error;
  for (int n = 1; n <= kPartialNames; ++n) {
    state.partial = path;
    state.partial += ".partial" + (n == 1 ? "" : "." + std::to_string(n));
    state.file = Descriptor::create(state.partial, permissions, error);
    if (error != std::errc::file_exists) break;
  }
  check(error == std::errc::file_exists ? state.partial : state.path, error);
}

NewFile::~NewFile() {
  std::error_code none;
  if (state_->file.is_open()) fs::remove(state_->partial, none);
}

void NewFile::write(std::span<const std::byte> bytes) {
  check(state_->path, state_->file.write(bytes));
  state_->bytes += bytes.size();
}

void NewFile::write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }

void NewFile::publish() {
  check(state_->path, state_->file.sync());
  std::error_code error;
  fs::rename(state_->partial, state_->path, error);
  check(state_->path, error, is_there(state_->path) ? kReplacementHint : "");
  state_->file = {};
}

uint64_t NewFile::bytes() const { return state_->bytes; }

}  // namespace bert
