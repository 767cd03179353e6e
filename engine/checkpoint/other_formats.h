// Recognises files that this library does not read, by the endings of their names: GGUF, ONNX, archives. Used in
// errors. Stateless.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace bert {

// path: a file or a directory. Returns what the file is and what to use instead: "'m.gguf' is a GGUF file, which is not
// read; …". For a directory, describes its first GGUF or ONNX file by name, else the first one in its folder "onnx",
// else its first archive. Returns nullopt if there is none, or if `path` is itself an archive or cannot be read.
std::optional<std::string> other_format(const std::filesystem::path& path);

}  // namespace bert
