// The calls of the operating system for the program's files, over descriptors of the C library: close(), read(),
// write() and lseek() work on them. posix/ and windows/ implement it. Functions that fail set errno. Stateless.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace bert::common {

enum class OpenMode {
  kRead,          // waits for a FIFO's writer
  kReadAtOnce,    // never waits: for a file that may be a FIFO or a device
  kWrite,         // an existing file, FIFO or device
  kCreate,        // reads and writes a new file; fails with EEXIST if the name is taken
  kReadAndWrite,  // an existing file, no link; never waits
  kOpenOrCreate,  // reads and writes a file, which is created if it is not there; fails for a link
  kAppend,        // writes behind a file's last byte; created if it is not there; fails for a link
};

// Opens a file, which programs that this one starts do not inherit. Returns its descriptor; -1 with errno.
int open_file(const std::string& path, OpenMode mode);

// Creates a file without a name, which ends with its descriptor. place: receives its folder, for a message.
int open_scratch_file(std::string& place);

struct FileFacts {
  std::filesystem::file_type type = std::filesystem::file_type::unknown;
  uint64_t bytes = 0;
  uint64_t device = 0, number = 0;  // the same for two names of one file

  bool is_regular() const { return type == std::filesystem::file_type::regular; }
  bool is_same_file(const FileFacts& other) const { return device == other.device && number == other.number; }
};

// Follows links. Returns nullopt, with errno, for a file that is not there or cannot be examined.
std::optional<FileFacts> facts_of(int file);
std::optional<FileFacts> facts_of(const std::string& path);
std::optional<FileFacts> facts_of_link(const std::string& path);  // does not follow a link at the path's end

// Returns whether the file is there and has no bytes. Safe in a signal handler.
bool is_empty_file(const char* path) noexcept;

enum class Lock { kAtOnce, kWait };
// Locks the file for this descriptor, until it is closed. kAtOnce fails with EWOULDBLOCK if another one has the lock.
bool lock_file(int file, Lock lock);

// Writes all bytes to the file, pipe or terminal, also after a signal. Safe in a signal handler.
bool write_all(int file, std::string_view bytes) noexcept;

// Waits until the file's bytes are on the disk. A file system without a disk is no failure.
bool sync_file(int file);
// Waits until the names in the folder are on the disk.
bool sync_folder(const std::string& path);

// Gives an open file the permissions of another one. Windows has none that a new file would lack.
bool copy_permissions(const std::string& from, int to);

// Gives a file another name, and replaces the file that has it.
bool replace_file(const std::string& from, const std::string& to);

// Makes a name in the hub's cache for a file of it: a link to `target`, which is relative to the name; on Windows,
// where links need a right that users lack, a second name of the file.
bool link_file(const std::filesystem::path& target, const std::filesystem::path& name);

// Waits until the descriptor has input, is at its end or fails. Returns false after so many milliseconds.
bool wait_for_input(int file, int milliseconds);

// Returns the process's environment: "NAME=value" strings, and a null at the end.
char** environment();

}  // namespace bert::common
