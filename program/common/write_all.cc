#include "program/common/write_all.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace bert::common {
namespace {

constexpr size_t kMostBytes = 1 << 30;  // of a call, whose length has 32 bits on Windows

}  // namespace

bool write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), std::min(text.size(), kMostBytes));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace bert::common
