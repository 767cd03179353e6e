#include "program/common/system_files.h"

#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cerrno>

#include "engine/base/windows/system.h"

namespace bert::common {
namespace fs = std::filesystem;
namespace {

// Sets errno by the system's last error. Returns false.
bool fail() {
  switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH:
      errno = ENOENT;
      break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      errno = EEXIST;
      break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_USER_MAPPED_FILE:
    case ERROR_WRITE_PROTECT:
      errno = EACCES;
      break;
    case ERROR_LOCK_VIOLATION:
      errno = EWOULDBLOCK;
      break;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      errno = ENOSPC;
      break;
    case ERROR_NOT_SUPPORTED:
    case ERROR_INVALID_FUNCTION:
      errno = ENOTSUP;
      break;
    default:
      errno = EIO;
  }
  return false;
}

// Others may write, rename and remove the file meanwhile, as on other systems. FILE_FLAG_BACKUP_SEMANTICS opens folders
// too, so that a folder is named as one.
HANDLE open_handle(const fs::path& path, DWORD access, DWORD disposition, DWORD attributes) {
  constexpr DWORD kShare = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  return CreateFileW(path.c_str(), access, kShare, nullptr, disposition, attributes | FILE_FLAG_BACKUP_SEMANTICS,
                     nullptr);
}

int number_of(HANDLE handle, int flags) {
  const int file = _open_osfhandle(reinterpret_cast<intptr_t>(handle), flags | _O_BINARY | _O_NOINHERIT);
  if (file < 0) CloseHandle(handle);
  return file;
}

std::optional<FileFacts> facts_of(HANDLE handle) {
  const DWORD kind = GetFileType(handle);
  if (kind == FILE_TYPE_CHAR) return FileFacts{.type = fs::file_type::character};
  if (kind == FILE_TYPE_PIPE) return FileFacts{.type = fs::file_type::fifo};
  BY_HANDLE_FILE_INFORMATION found = {};
  if (GetFileInformationByHandle(handle, &found) == 0) {
    if (kind != FILE_TYPE_DISK) return fail(), std::nullopt;
    return FileFacts{.type = fs::file_type::regular};  // Wine says no more of a file that a shell of Linux has opened
  }
  const auto joined = [](DWORD high, DWORD low) { return uint64_t{high} << 32 | low; };
  const bool is_link = (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
  const bool is_folder = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  return FileFacts{is_link     ? fs::file_type::symlink
                   : is_folder ? fs::file_type::directory
                               : fs::file_type::regular,
                   joined(found.nFileSizeHigh, found.nFileSizeLow), found.dwVolumeSerialNumber,
                   joined(found.nFileIndexHigh, found.nFileIndexLow)};
}

std::optional<FileFacts> facts_of_path(const std::string& path, DWORD attributes) {
  const HANDLE handle = open_handle(path, 0, OPEN_EXISTING, attributes);
  if (handle == INVALID_HANDLE_VALUE) return fail(), std::nullopt;
  const std::optional<FileFacts> facts = facts_of(handle);
  CloseHandle(handle);
  return facts;
}

}  // namespace

int open_file(const std::string& path, OpenMode mode) {
  DWORD access = GENERIC_READ | GENERIC_WRITE, disposition = OPEN_EXISTING;
  int flags = _O_RDWR;
  switch (mode) {
    case OpenMode::kRead:
    case OpenMode::kReadAtOnce:
      access = GENERIC_READ;
      flags = _O_RDONLY;
      break;
    case OpenMode::kWrite:
      access = GENERIC_WRITE;
      flags = _O_WRONLY;
      break;
    case OpenMode::kCreate:
      disposition = CREATE_NEW;
      break;
    case OpenMode::kReadAndWrite:
      break;
    case OpenMode::kOpenOrCreate:
      disposition = OPEN_ALWAYS;
      break;
    case OpenMode::kAppend:
      disposition = OPEN_ALWAYS;
      flags |= _O_APPEND;
      break;
  }
  const HANDLE handle = open_handle(path, access, disposition, 0);
  if (handle == INVALID_HANDLE_VALUE) return fail(), -1;
  const std::optional<FileFacts> facts = facts_of(handle);
  if (facts && facts->type == fs::file_type::directory && mode != OpenMode::kReadAtOnce) {
    CloseHandle(handle);
    errno = EISDIR;
    return -1;
  }
  return number_of(handle, flags);
}

int open_scratch_file(std::string& place) {
  constexpr int kMostNames = 1000;  // killed programs leave none
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  for (int n = 1; n <= kMostNames; ++n) {
    const fs::path path = folder / ("bert-infer." + std::to_string(GetCurrentProcessId()) + "." + std::to_string(n));
    place = path.string();
    const HANDLE handle = open_handle(path, GENERIC_READ | GENERIC_WRITE, CREATE_NEW,
                                      FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE);
    if (handle != INVALID_HANDLE_VALUE) return number_of(handle, _O_RDWR);
    if (fail(); errno != EEXIST) break;
  }
  return -1;
}

std::optional<FileFacts> facts_of(int file) { return facts_of(handle_of(file)); }

std::optional<FileFacts> facts_of(const std::string& path) {
  std::optional<FileFacts> facts = facts_of_path(path, 0);
  if (facts && facts->type == fs::file_type::symlink) facts->type = fs::file_type::regular;  // a cloud's placeholder
  return facts;
}

std::optional<FileFacts> facts_of_link(const std::string& path) {
  return facts_of_path(path, FILE_FLAG_OPEN_REPARSE_POINT);
}

bool is_empty_file(const char* path) noexcept {
  WIN32_FILE_ATTRIBUTE_DATA found = {};
  return GetFileAttributesExA(path, GetFileExInfoStandard, &found) != 0 && found.nFileSizeHigh == 0 &&
         found.nFileSizeLow == 0;
}

// A lock on Windows keeps others from reading what it is on: it is on a byte that no file has.
bool lock_file(int file, Lock lock) {
  OVERLAPPED place = {};
  place.Offset = place.OffsetHigh = 0x7FFFFFFF;
  const DWORD flags = LOCKFILE_EXCLUSIVE_LOCK | (lock == Lock::kAtOnce ? LOCKFILE_FAIL_IMMEDIATELY : 0);
  if (LockFileEx(handle_of(file), flags, 0, 1, 0, &place) != 0) return true;
  if (GetLastError() == ERROR_IO_PENDING) SetLastError(ERROR_LOCK_VIOLATION);
  return fail();
}

bool write_all(int file, std::string_view bytes) noexcept {
  constexpr size_t kMostBytes = 1 << 30;  // of a call, whose length has 32 bits
  while (!bytes.empty()) {
    const int written = _write(file, bytes.data(), static_cast<unsigned>(std::min(bytes.size(), kMostBytes)));
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool sync_file(int file) { return FlushFileBuffers(handle_of(file)) != 0 || fail(); }

// Windows has no such call.
bool sync_folder(const std::string&) { return true; }

bool copy_permissions(const std::string&, int) { return true; }

bool replace_file(const std::string& from, const std::string& to) {
  return MoveFileExW(fs::path(from).c_str(), fs::path(to).c_str(), MOVEFILE_REPLACE_EXISTING) != 0 || fail();
}

bool link_file(const fs::path& target, const fs::path& name) {
  return CreateHardLinkW(name.c_str(), (name.parent_path() / target).lexically_normal().c_str(), nullptr) != 0 ||
         fail();
}

// Windows can wait for a console and not for a pipe, which is asked again and again.
bool wait_for_input(int file, int milliseconds) {
  constexpr DWORD kPause = 5;
  const HANDLE handle = handle_of(file);
  const DWORD kind = GetFileType(handle);
  const auto time = static_cast<DWORD>(milliseconds);
  if (kind == FILE_TYPE_CHAR) return WaitForSingleObject(handle, time) != WAIT_TIMEOUT;
  if (kind != FILE_TYPE_PIPE) return true;
  for (DWORD waited = 0;; waited += kPause) {
    DWORD bytes = 0;
    if (PeekNamedPipe(handle, nullptr, 0, nullptr, &bytes, nullptr) == 0 || bytes > 0) return true;
    if (waited >= time) return false;
    Sleep(kPause);
  }
}

char** environment() { return _environ; }

}  // namespace bert::common
