// windows.h without its rarely used parts and its macros min and max, and the system's last error.
#pragma once

#include <io.h>

#include <system_error>

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

namespace bert {

// Returns the system's handle of a descriptor's number, which is the C library's.
inline HANDLE handle_of(int number) {
  return number < 0 ? INVALID_HANDLE_VALUE : reinterpret_cast<HANDLE>(_get_osfhandle(number));
}

inline std::error_code last_error() { return {static_cast<int>(GetLastError()), std::system_category()}; }

}  // namespace bert
