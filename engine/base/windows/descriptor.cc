#include "engine/base/descriptor.h"

#include <fcntl.h>

#include <algorithm>
#include <new>

#include "engine/base/utf8_path.h"
#include "engine/base/windows/system.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

constexpr DWORD kLargestPart = 1u << 30;  // of a read or write, whose length has 32 bits

// Others may write, rename and remove the file meanwhile, as on other systems.
constexpr DWORD kShare = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

// FILE_FLAG_BACKUP_SEMANTICS opens directories too, so that the caller can name what it found.
int open_file(const fs::path& path, DWORD access, DWORD disposition, int flags, std::error_code& error) {
  const HANDLE handle =
      CreateFileW(path.c_str(), access, kShare, nullptr, disposition, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    error = last_error();
    return -1;
  }
  const int number = _open_osfhandle(reinterpret_cast<intptr_t>(handle), flags | _O_BINARY | _O_NOINHERIT);
  error = number < 0 ? std::make_error_code(std::errc::too_many_files_open) : std::error_code();
  if (number < 0) CloseHandle(handle);
  return number;
}

uint64_t joined(DWORD high, DWORD low) { return uint64_t{high} << 32 | low; }

// Since 1970, in nanoseconds, of Windows's time: since 1601, in units of 100 ns.
int64_t since_1970(FILETIME time) {
  constexpr uint64_t kFrom1601 = 116444736000000000u;
  return static_cast<int64_t>((joined(time.dwHighDateTime, time.dwLowDateTime) - kFrom1601) * 100);
}

}  // namespace

Descriptor Descriptor::open(const fs::path& path, std::error_code& error) {
  return Descriptor(open_file(path, GENERIC_READ, OPEN_EXISTING, _O_RDONLY, error));
}

// Permissions are the directory's.
Descriptor Descriptor::create(const fs::path& path, fs::perms, std::error_code& error) {
  return Descriptor(open_file(path, GENERIC_READ | GENERIC_WRITE, CREATE_NEW, _O_RDWR, error));
}

Descriptor::~Descriptor() {
  if (is_open()) _close(number_);
}

FileStatus Descriptor::status(std::error_code& error) const {
  error.clear();
  const HANDLE handle = handle_of(number_);
  const DWORD kind = GetFileType(handle);
  if (kind == FILE_TYPE_CHAR) return {.type = fs::file_type::character};
  if (kind == FILE_TYPE_PIPE) return {.type = fs::file_type::fifo};
  BY_HANDLE_FILE_INFORMATION found = {};
  if (GetFileInformationByHandle(handle, &found) == 0) {
    error = last_error();
    return {};
  }
  const bool is_directory = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  return {.type = is_directory ? fs::file_type::directory : fs::file_type::regular,
          .bytes = joined(found.nFileSizeHigh, found.nFileSizeLow),
          .modified_ns = since_1970(found.ftLastWriteTime),
          .inode = joined(found.nFileIndexHigh, found.nFileIndexLow)};
}

size_t Descriptor::read_at(uint64_t offset, std::span<char> bytes, std::error_code& error) const {
  error.clear();
  size_t done = 0;
  while (done < bytes.size()) {
    OVERLAPPED place = {};
    place.Offset = static_cast<DWORD>(offset + done);
    place.OffsetHigh = static_cast<DWORD>((offset + done) >> 32);
    const auto part = static_cast<DWORD>(std::min<size_t>(bytes.size() - done, kLargestPart));
    DWORD got = 0;
    if (ReadFile(handle_of(number_), bytes.data() + done, part, &got, &place) == 0) {
      if (GetLastError() != ERROR_HANDLE_EOF) error = last_error();
      break;
    }
    if (got == 0) break;
    done += got;
  }
  return done;
}

std::error_code Descriptor::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto part = static_cast<DWORD>(std::min<size_t>(bytes.size(), kLargestPart));
    DWORD written = 0;
    if (WriteFile(handle_of(number_), bytes.data(), part, &written, nullptr) == 0) return last_error();
    bytes = bytes.subspan(written);
  }
  return {};
}

// Windows has no such call for the names in a directory.
std::error_code Descriptor::sync() {
  std::error_code error;
  if (status(error).type == fs::file_type::directory) return {};
  if (FlushFileBuffers(handle_of(number_)) != 0) return {};
  if (GetLastError() != ERROR_ACCESS_DENIED) return last_error();
  // The descriptor is for reading; only one for writing can wait.
  const HANDLE written = ReOpenFile(handle_of(number_), GENERIC_WRITE, kShare, 0);
  if (written == INVALID_HANDLE_VALUE) return last_error();
  error = FlushFileBuffers(written) != 0 ? std::error_code() : last_error();
  CloseHandle(written);
  return error;
}

std::optional<std::string> first_name(const fs::path& directory, std::string_view prefix, std::string_view without) {
  WIN32_FIND_DATAW entry = {};
  const HANDLE search = FindFirstFileW((directory / L"*").c_str(), &entry);
  if (search == INVALID_HANDLE_VALUE) {
    if (GetLastError() == ERROR_NOT_ENOUGH_MEMORY) throw std::bad_alloc();
    return std::nullopt;
  }
  struct Close {
    HANDLE search;
    ~Close() { FindClose(search); }
  } const close{search};
  std::optional<std::string> first;
  do {
    std::string name = utf8(entry.cFileName);
    if (!name.starts_with(prefix) || name.find(without) != name.npos) continue;
    if (!first || name < *first) first = std::move(name);
  } while (FindNextFileW(search, &entry) != 0);
  return first;
}

}  // namespace bert
