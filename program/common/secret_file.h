// Reads a small file with a secret: a key, a token, a list of keys. Opening it never waits, and no more than the limit
// is read: a device, a pipe and a folder are refused by name. Stateless.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace bert::common {

inline constexpr size_t kMostSecretBytes = 1 << 20;

// All bytes of the file. holds: what is in it, for messages ("the key of digests"). Throws Error(kNotFound, kIo), and
// kInvalidFile for one that is no regular file or has more bytes than `most`.
std::string read_secret_file(const std::string& path, const std::string& holds, size_t most = kMostSecretBytes);
// nullopt if there is no such file.
std::optional<std::string> read_secret_file_if_there(const std::string& path, const std::string& holds,
                                                     size_t most = kMostSecretBytes);

}  // namespace bert::common
