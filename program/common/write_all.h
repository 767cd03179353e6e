// Stateless; safe to call from many threads, and in a signal handler.
#pragma once

#include <string_view>

namespace bert::common {

// Writes the whole text to the descriptor, also after a signal; returns false, with errno set, if the system refuses.
bool write_all(int descriptor, std::string_view text) noexcept;

}  // namespace bert::common
