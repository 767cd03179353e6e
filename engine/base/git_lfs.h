// Git LFS stores large files separately. A clone without LFS has a pointer of a few lines in their place.
// Stateless.
#pragma once

#include <string_view>

namespace bert {

inline bool is_git_lfs_pointer(std::string_view content) {
  return content.starts_with("version https://git-lfs.github.com/spec/v1");
}

inline constexpr std::string_view kGitLfsPointer =
    "a Git LFS pointer, expected the file itself: run git lfs pull where it was cloned";

}  // namespace bert
