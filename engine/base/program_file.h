// The file that a program is in. engine/base/posix/ implements it. Stateless.
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/base/descriptor.h"

namespace bert {

// The running program's.
std::filesystem::path own_program();

// The file of the program, or of the shared library, that this address is of. Empty if it is not known.
std::filesystem::path binary_of(const void* address);

// Whether this system's programs say how long they are: those of Linux do (ELF).
#if defined(__linux__)
inline constexpr bool kProgramsHaveAnEnd = true;
#else
inline constexpr bool kProgramsHaveAnEnd = false;
#endif

// In bytes, where the last part ends that the program's tables name. Throws Error(kInvalidFile) if the file is no
// program for Linux (ELF, 64 bits); kUnsupported on other systems; kIo. path: for messages.
uint64_t program_end(const Descriptor& descriptor, const std::filesystem::path& path);

}  // namespace bert
