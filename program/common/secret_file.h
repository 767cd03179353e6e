// Reads a small file with a secret: a key, a token, a list of keys. Opening it never blocks, and no more than the limit
// is read: devices, pipes and folders are rejected by name. Stateless.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace bert::common {

inline constexpr size_t kMostSecretBytes = 1 << 20;

// Returns all bytes of the file. holds: describes the content for messages ("the key of digests"). Throws
// Error(kNotFound, kIo), and kInvalidFile for a file that is not regular or has more than `most` bytes.
std::string read_secret_file(const std::string& path, const std::string& holds, size_t most = kMostSecretBytes);
// Returns nullopt if there is no such file.
std::optional<std::string> read_secret_file_if_there(const std::string& path, const std::string& holds,
                                                     size_t most = kMostSecretBytes);

}  // namespace bert::common
