// The file that a program is in. Stateless.
#pragma once

#include <cstdint>
#include <filesystem>

namespace bert {

// The running program's.
std::filesystem::path own_program();

// Whether this system's programs say how long they are: those of Linux do (ELF).
#if defined(__linux__)
inline constexpr bool kProgramsHaveAnEnd = true;
#else
inline constexpr bool kProgramsHaveAnEnd = false;
#endif

// In bytes, where the last part ends that the program's tables name. Throws Error(kInvalidFile) if the file is no
// program for Linux (ELF, 64 bits); kUnsupported on other systems; kIo. path: for messages.
uint64_t program_end(int descriptor, const std::filesystem::path& path);

}  // namespace bert
