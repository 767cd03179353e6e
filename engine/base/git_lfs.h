// Git LFS keeps large files apart and leaves a pointer of some lines in their place, which a clone without LFS brings.
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
