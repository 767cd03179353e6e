// Recognises the pointer files of Git LFS. Git LFS stores large files outside the repository; a clone made without it
// has, in place of each file, a pointer: a text of a few lines. Stateless.
#pragma once

#include <string_view>

namespace bert {

// Returns whether a file is such a pointer. content: the file, or at least its first 42 bytes.
inline bool is_git_lfs_pointer(std::string_view content) {
  return content.starts_with("version https://git-lfs.github.com/spec/v1");
}

// The end of an error message about a pointer file, after its name and a colon.
inline constexpr std::string_view kFoundGitLfsPointer =
    "a Git LFS pointer, expected the file itself: run git lfs pull where it was cloned";

}  // namespace bert
