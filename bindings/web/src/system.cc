// The system calls that the C library makes: files come from the table of files.h, memory from the engine, the time
// from the page. Other calls are refused with Linux's error number.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "bindings/web/src/files.h"

namespace bert_web {

namespace {

// Numbers and structs of WASI (snapshot preview 1), which the C library uses for calls on open files.
constexpr uint16_t kBadNumber = 8, kInvalid = 28, kIsFolder = 31;
struct Part {
  char* data;
  size_t bytes;
};

extern "C" __attribute__((import_module("page"), import_name("now"))) double page_now();  // milliseconds

// An open file or folder. Numbers begin at 3, because 0 to 2 are a program's standard streams.
struct Open {
  bool is_used = false;
  File file;
  std::vector<std::string> names;  // names in a folder
  bool is_folder = false;
  size_t at = 0;  // position in the file, or among the names
};
constexpr long kFirst = 3;

std::vector<Open>& opened() {
  static auto* const all = new std::vector<Open>;
  return *all;
}

Open* open_of(long number) {
  const long at = number - kFirst;
  if (at < 0 || at >= static_cast<long>(opened().size())) return nullptr;
  Open& found = opened()[static_cast<size_t>(at)];
  return found.is_used ? &found : nullptr;
}

std::vector<std::string> names_in(const std::string& folder) {
  const std::string inside = folder == "/" ? folder : folder + "/";
  std::vector<std::string> names;
  for (auto file = files().lower_bound(inside); file != files().end() && file->first.starts_with(inside); ++file) {
    const std::string name = file->first.substr(inside.size(), file->first.find('/', inside.size()) - inside.size());
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

void describe(bool is_folder, size_t bytes, struct stat* to) {
  *to = {};
  to->st_mode = is_folder ? S_IFDIR | 0555 : S_IFREG | 0444;
  to->st_nlink = 1;
  to->st_size = static_cast<off_t>(bytes);
}

// Returns Linux's error for a path that does not exist: "not a directory" if a part of the path is a file.
long missing(const std::string& path) {
  for (size_t end = path.rfind('/'); end != 0 && end != path.npos; end = path.rfind('/', end - 1)) {
    if (files().contains(path.substr(0, end))) return -ENOTDIR;
  }
  return -ENOENT;
}

long status_of(const char* named, struct stat* to) {
  const std::string path = normal_path(named);
  const auto file = files().find(path);
  if (file == files().end() && !is_folder(path)) return missing(path);
  describe(file == files().end(), file == files().end() ? 0 : file->second.bytes, to);
  return 0;
}

size_t read_at(const Open& from, uint64_t offset, const Part* to, size_t count) {
  size_t done = 0;
  for (size_t i = 0; i < count && offset < from.file.bytes; ++i) {
    const size_t bytes = std::min<uint64_t>(to[i].bytes, from.file.bytes - offset);
    std::memcpy(to[i].data, from.file.data + offset, bytes);
    offset += bytes;
    done += bytes;
  }
  return done;
}

}  // namespace

extern "C" {

// A header declares WASI's functions as imports. They are defined here, so the compiler must know them by other names.
#define BERT_WASI(name, ...)                       \
  uint16_t name(__VA_ARGS__) asm("__wasi_" #name); \
  uint16_t name(__VA_ARGS__)

// The C library's calls pass addresses as longs.
#define BERT_POINTER(type, address) reinterpret_cast<type>(address)

long __syscall_open(long named, long flags, ...) {
  const std::string path = normal_path(BERT_POINTER(const char*, named));
  if ((flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0) return -EROFS;
  const auto file = files().find(path);
  Open made = {.is_used = true, .file = {}, .names = {}, .is_folder = file == files().end(), .at = 0};
  if (!made.is_folder) {
    if ((flags & O_DIRECTORY) != 0) return -ENOTDIR;
    made.file = file->second;
  } else if (is_folder(path)) {
    made.names = names_in(path);
  } else {
    return missing(path);
  }
  auto place = std::find_if(opened().begin(), opened().end(), [](const Open& open) { return !open.is_used; });
  if (place == opened().end()) place = opened().insert(place, Open());
  *place = std::move(made);
  return kFirst + (place - opened().begin());
}

long __syscall_stat64(long path, long to) {
  return status_of(BERT_POINTER(const char*, path), BERT_POINTER(struct stat*, to));
}
long __syscall_lstat64(long path, long to) { return __syscall_stat64(path, to); }
long __syscall_fstatat64(long, long path, long to, long) { return __syscall_stat64(path, to); }
long __syscall_fstat64(long number, long to) {
  const Open* const found = open_of(number);
  if (found == nullptr) return -EBADF;
  describe(found->is_folder, found->file.bytes, BERT_POINTER(struct stat*, to));
  return 0;
}
long __syscall_readlink(long path, long, long) {
  struct stat status;
  const long error = status_of(BERT_POINTER(const char*, path), &status);
  return error != 0 ? error : -EINVAL;  // the path exists and is not a link
}
long __syscall_getcwd(long to, long bytes) {
  if (bytes < 2) return -ERANGE;
  std::strcpy(BERT_POINTER(char*, to), "/");
  return 2;
}
long __syscall_getdents64(long number, long to, long bytes) {
  Open* const found = open_of(number);
  if (found == nullptr || !found->is_folder) return -ENOTDIR;
  long done = 0;
  for (; found->at < found->names.size() && done + static_cast<long>(sizeof(dirent)) <= bytes; ++found->at) {
    auto* const entry = BERT_POINTER(dirent*, to + done);
    *entry = {};
    entry->d_ino = found->at + 1;
    entry->d_off = static_cast<off_t>(found->at + 1);
    entry->d_reclen = sizeof(dirent);
    entry->d_type = DT_UNKNOWN;
    found->names[found->at].copy(entry->d_name, sizeof(entry->d_name) - 1);
    done += static_cast<long>(sizeof(dirent));
  }
  return done;
}
long __syscall_fcntl64(long, long, ...) { return 0; }
long __syscall_ioctl(long, long, ...) { return -ENOTTY; }
long __syscall_madvise(long, long, long) { return 0; }
long __syscall_prlimit64(long, long, long, long) { return -ENOSYS; }
long __syscall_ugetrlimit(long, long) { return -ENOSYS; }

// A mapping is the file's own memory; nothing is copied.
long _mmap_js(long, long length, long, long, long number, long offset, int* allocated) {
  const Open* const found = open_of(number);
  if (found == nullptr || found->is_folder) return -EBADF;
  if (static_cast<uint64_t>(offset) + static_cast<uint64_t>(length) > found->file.bytes) return -EINVAL;
  *allocated = 0;
  return static_cast<long>(reinterpret_cast<uintptr_t>(found->file.data)) + offset;
}
long _munmap_js(long, long, long, long, long, long) { return 0; }

BERT_WASI(fd_close, int32_t number) {
  Open* const found = open_of(static_cast<long>(number));
  if (found == nullptr) return kBadNumber;
  *found = Open();
  return 0;
}
BERT_WASI(fd_pread, int32_t number, const Part* to, size_t count, uint64_t offset, size_t* done) {
  const Open* const found = open_of(static_cast<long>(number));
  if (found == nullptr) return kBadNumber;
  if (found->is_folder) return kIsFolder;
  *done = read_at(*found, offset, to, count);
  return 0;
}
BERT_WASI(fd_read, int32_t number, const Part* to, size_t count, size_t* done) {
  Open* const found = open_of(static_cast<long>(number));
  if (found == nullptr) return kBadNumber;
  if (found->is_folder) return kIsFolder;
  *done = read_at(*found, found->at, to, count);
  found->at += *done;
  return 0;
}
BERT_WASI(fd_seek, int32_t number, int64_t by, uint8_t from, uint64_t* at) {
  Open* const found = open_of(static_cast<long>(number));
  if (found == nullptr) return kBadNumber;
  const int64_t base = from == SEEK_SET ? 0 : from == SEEK_CUR ? found->at : found->file.bytes;
  if (base + by < 0) return kInvalid;
  found->at = static_cast<size_t>(base + by);
  *at = found->at;
  return 0;
}
// Drops the output. The library prints nothing; the C++ runtime prints a message before it ends the program.
BERT_WASI(fd_write, int32_t, const Part* from, size_t count, size_t* done) {
  *done = 0;
  for (size_t i = 0; i < count; ++i) *done += from[i].bytes;
  return 0;
}
BERT_WASI(environ_sizes_get, size_t* count, size_t* bytes) {
  *count = *bytes = 0;
  return 0;
}
BERT_WASI(environ_get, uint8_t**, uint8_t*) { return 0; }

// Memory may grow to nearly four gigabytes, the most that an address can name. It grows by at least an eighth, if it
// can.
size_t emscripten_get_heap_max() { return SIZE_MAX - 65535; }
int emscripten_resize_heap(size_t bytes) {
  constexpr uint64_t kMemoryPage = 65536;
  const uint64_t pages = __builtin_wasm_memory_size(0);
  const uint64_t wanted = (uint64_t{bytes} + kMemoryPage - 1) / kMemoryPage;
  const uint64_t roomy = std::min<uint64_t>(std::max(wanted, pages + pages / 8), kMemoryPage);
  for (const uint64_t size : {roomy, wanted}) {
    if (size <= pages) return wanted <= pages;
    if (__builtin_wasm_memory_grow(0, static_cast<size_t>(size - pages)) != SIZE_MAX) return 1;
  }
  return 0;
}
void* emscripten_memcpy_big(void* to, const void* from, size_t bytes) {
  // Uses the instruction memory.copy; without it, memcpy is too slow.
  asm volatile("local.get %0\nlocal.get %1\nlocal.get %2\nmemory.copy 0, 0"
               :
               : "r"(to), "r"(from), "r"(bytes)
               : "memory");
  return to;
}

double emscripten_get_now() { return page_now(); }
int clock_gettime(clockid_t, struct timespec* to) {
  const double now = page_now();
  to->tv_sec = static_cast<time_t>(now / 1000);
  to->tv_nsec = static_cast<long>((now - static_cast<double>(to->tv_sec) * 1000) * 1e6);
  return 0;
}
size_t strftime_l(char*, size_t, const char*, const struct tm*, locale_t) { return 0; }

[[noreturn]] void end_module() asm("abort");
void end_module() { __builtin_trap(); }

}  // extern "C"

}  // namespace bert_web
