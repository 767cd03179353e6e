// Finds the file of a program. engine/base/posix/ and windows/ implement it. Stateless.
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/base/descriptor.h"

namespace bert {

// Returns the running program's file.
std::filesystem::path own_program();

// Returns the file of the program or shared library that contains this address; empty if it is not known.
std::filesystem::path binary_of(const void* address);

// Whether program_end() works on this system: Linux's programs (ELF) state their length.
#if defined(__linux__)
inline constexpr bool kProgramsHaveAnEnd = true;
#else
inline constexpr bool kProgramsHaveAnEnd = false;
#endif

// Returns the offset in bytes where the last part ends that the program's tables list. Throws Error(kInvalidFile) if
// the file is not a program for Linux (ELF, 64 bits); kUnsupported on other systems; kIo. path: for messages.
uint64_t program_end(const Descriptor& descriptor, const std::filesystem::path& path);

}  // namespace bert
