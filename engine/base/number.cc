// from_chars of doubles is in LLVM's library since version 20, to_chars since 14. Without them the C library's
// functions give the same results if, as on WebAssembly, there is only one locale.
#include "engine/base/number.h"

#include <cmath>
#include <version>
#if defined(__cpp_lib_to_chars)
#include <charconv>
#else
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#endif

namespace bert {

#if defined(__cpp_lib_to_chars)
std::optional<double> parse_double(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string shortest_text(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}
#else
std::optional<double> parse_double(std::string_view text) {
  if (text.empty() || std::isspace(static_cast<unsigned char>(text[0])) != 0) return std::nullopt;
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(copy.c_str(), &end);
  const bool is_too_small = errno == ERANGE && value == 0;
  if (end != copy.c_str() + copy.size() || !std::isfinite(value) || is_too_small) return std::nullopt;
  return value;
}

std::string shortest_text(double value) {
  char text[32];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  return text;
}
#endif

}  // namespace bert
