// Weights in formats that are not read, GGUF and ONNX: found by the names of files, for messages. Stateless.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace bert {

// What the file is, or the first such file of the directory or of its folder "onnx", and what to use in its place:
// "'m.gguf' is a GGUF file, which is not read; …". nullopt if there is none.
std::optional<std::string> other_format(const std::filesystem::path& path);

}  // namespace bert
