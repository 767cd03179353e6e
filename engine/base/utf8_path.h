// Paths as UTF-8 text, for names and messages, and back. On Windows a path is UTF-16, and std::filesystem::path takes
// narrow text for text of the ANSI code page, in which most names cannot be written (engine/base/windows/ has path_of);
// elsewhere a path is bytes, which stay as they are. generic_utf8 writes / between the names on every system. And two
// words on files that differ by system. Stateless; safe to call from many threads.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace bert {

#if defined(_WIN32)
inline constexpr const char* kHomeVariable = "USERPROFILE";  // the environment's name for the user's folder
// Why a file may not get a name that another file has: for the end of a message.
inline constexpr const char* kReplacementHint = "; Windows replaces no file that is open, mapped or read-only";

inline std::string utf8(const std::filesystem::path& path) {
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}

inline std::string generic_utf8(const std::filesystem::path& path) {
  const std::u8string text = path.generic_u8string();
  return {text.begin(), text.end()};
}

std::filesystem::path path_of(std::string_view text);  // throws Error(kInvalidArgument) for what is not UTF-8
#else
inline constexpr const char* kHomeVariable = "HOME";
inline constexpr const char* kReplacementHint = "";

inline std::string utf8(const std::filesystem::path& path) { return path.string(); }

inline std::string generic_utf8(const std::filesystem::path& path) { return path.generic_string(); }
inline std::filesystem::path path_of(std::string_view text) { return text; }
#endif

}  // namespace bert
