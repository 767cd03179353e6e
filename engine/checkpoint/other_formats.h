// Finds files that are not read, by the endings of their names, for error messages: GGUF, ONNX, archives. Stateless.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace bert {

// path: a file or a directory. Returns what the file is and what to use in its place: "'m.gguf' is a GGUF file, which
// is not read; …". In a directory: of its first GGUF or ONNX file by name, else of the first one in its folder "onnx",
// else of its first archive. nullopt if there is none, or if `path` is itself an archive or cannot be read.
std::optional<std::string> other_format(const std::filesystem::path& path);

}  // namespace bert
