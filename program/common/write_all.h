// Stateless; safe to call from many threads, and in a signal handler.
#pragma once

#include <string_view>

namespace bert::common {

// Writes all of it to the descriptor, also after a signal; false if the system refuses, with its reason in errno.
bool write_all(int descriptor, std::string_view text) noexcept;

}  // namespace bert::common
