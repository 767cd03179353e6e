// Replaces functions of the C library by ones that can fail on purpose. The memory functions call those that the GNU C
// library exports under other names. The others make the system call themselves. Allocates no memory.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <limits>

#include "tests/faults/faults.h"

namespace bert::test {
namespace {

Fault fault;
std::atomic<bool> active{false};
FaultNumbers own_numbers;
FaultNumbers* numbers = &own_numbers;

// Counts the call, and returns whether it must fail.
bool is_due(Call call) {
  if (!active.load(std::memory_order_acquire) || fault.call != call) return false;
  const uint64_t number = ++numbers->calls;
  const uint64_t first = numbers->first;
  return first > 0 && number >= first && number - first < numbers->failing;
}

// Sets errno and returns true if this call must fail. If it must be a short read or write, halves `bytes`.
bool fails(Call call, size_t* bytes = nullptr) {
  if (!is_due(call)) return false;
  if (fault.error != kShort) {
    errno = fault.error;
    return true;
  }
  if (bytes != nullptr && *bytes > 1) *bytes /= 2;
  return false;
}

struct ErrorName {
  std::string_view name;
  int number;
};
constexpr ErrorName kErrorNames[] = {{"ENOMEM", ENOMEM}, {"EINTR", EINTR},   {"EIO", EIO},
                                     {"ENOSPC", ENOSPC}, {"EAGAIN", EAGAIN}, {"short", kShort}};

}  // namespace

void use_fault_numbers(FaultNumbers& shared) { numbers = &shared; }

void start_fault(const Fault& next) {
  fault = next;
  numbers->calls = 0;
  numbers->first = next.first;
  numbers->failing = next.and_all_after ? std::numeric_limits<uint64_t>::max() : 1;
  active.store(true, std::memory_order_release);
}

size_t stop_faults() {
  active = false;
  return numbers->calls;
}

std::optional<Fault> parse_fault(std::string_view text) {
  const size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  Fault parsed;
  size_t found = 0;
  for (size_t i = 0; i < std::size(kCallNames); ++i) {
    if (kCallNames[i] != text.substr(0, first)) continue;
    parsed.call = static_cast<Call>(i);
    ++found;
  }
  for (const ErrorName& error : kErrorNames) {
    if (error.name != text.substr(second + 1)) continue;
    parsed.error = error.number;
    ++found;
  }
  std::string_view number = text.substr(first + 1, second - first - 1);
  if (number.ends_with('+')) {
    parsed.and_all_after = true;
    number.remove_suffix(1);
  }
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), parsed.first);
  if (found != 2 || error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return parsed;
}

}  // namespace bert::test

using bert::test::Call;
using bert::test::fails;

#pragma GCC visibility push(default)
extern "C" {

void* __libc_malloc(size_t size) noexcept;
void* __libc_calloc(size_t count, size_t size) noexcept;
void* __libc_realloc(void* memory, size_t size) noexcept;
void* __libc_memalign(size_t alignment, size_t size) noexcept;

void* malloc(size_t size) noexcept { return fails(Call::kMemory) ? nullptr : __libc_malloc(size); }

void* calloc(size_t count, size_t size) noexcept { return fails(Call::kMemory) ? nullptr : __libc_calloc(count, size); }

void* realloc(void* memory, size_t size) noexcept {
  return fails(Call::kMemory) ? nullptr : __libc_realloc(memory, size);
}

void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return fails(Call::kMemory) ? nullptr : __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
  *memory = fails(Call::kMemory) ? nullptr : __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  if (fails(Call::kOpen)) return -1;
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

ssize_t read(int file, void* to, size_t bytes) {
  return fails(Call::kRead, &bytes) ? -1 : syscall(SYS_read, file, to, bytes);
}

ssize_t pread(int file, void* to, size_t bytes, off_t position) {
  return fails(Call::kRead, &bytes) ? -1 : syscall(SYS_pread64, file, to, bytes, position);
}

ssize_t write(int file, const void* from, size_t bytes) {
  // Writes to standard error never fail, because the tests read the error's message there.
  if (file != STDERR_FILENO && fails(Call::kWrite, &bytes)) return -1;
  return syscall(SYS_write, file, from, bytes);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  size_t whole = 2;  // a short write has only the first part
  if (fails(Call::kWrite, &whole)) return -1;
  return syscall(SYS_writev, file, parts, whole == 2 ? count : 1);
}

// Closes the file even if it fails, as the system does.
int close(int file) {
  const bool fail = fails(Call::kClose);
  const int error = errno;
  const auto result = static_cast<int>(syscall(SYS_close, file));
  if (!fail) return result;
  errno = error;
  return -1;
}

int fsync(int file) { return fails(Call::kSync) ? -1 : static_cast<int>(syscall(SYS_fsync, file)); }

int rename(const char* from, const char* to) noexcept {
  return fails(Call::kRename) ? -1 : static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

off_t lseek(int file, off_t offset, int whence) noexcept {
  return fails(Call::kSeek) ? -1 : syscall(SYS_lseek, file, offset, whence);
}

void* mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  if (fails(Call::kMap)) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, bytes, protection, flags, file, offset));
}

int fstat(int file, struct stat* status) noexcept {
  return fails(Call::kStatus) ? -1 : static_cast<int>(syscall(SYS_fstat, file, status));
}

int stat(const char* path, struct stat* status) noexcept {
  return fails(Call::kStatus) ? -1 : static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, status, 0));
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) noexcept {
  if (fails(Call::kThread)) return errno;
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, attributes, run, argument);
}

}  // extern "C"
#pragma GCC visibility pop
