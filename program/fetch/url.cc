#include "program/fetch/url.h"

#include <algorithm>

#include "program/common/words.h"

namespace bert::fetch {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_host(std::string_view host) {
  if (host.starts_with('[')) {
    return host.size() > 2 && host.ends_with(']') && std::ranges::all_of(host.substr(1, host.size() - 2), [](char c) {
             return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.';
           });
  }
  return !host.empty() && std::ranges::all_of(host, [](char c) {
    return is_digit(c) || is_letter(c) || c == '.' || c == '-' || c == '_';
  });
}

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "[::1]") return true;
  const bool has_four_parts = std::ranges::count(host, '.') == 3 && host.find("..") == host.npos;
  return host.starts_with("127.") && has_four_parts && is_digit(host.back()) &&
         std::ranges::all_of(host, [](char c) { return is_digit(c) || c == '.'; });
}

std::string escaped(std::string_view text, std::string_view also_kept) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c) || std::string_view("-._~").find(c) != std::string_view::npos ||
        also_kept.find(c) != also_kept.npos) {
      result += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    result += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return result;
}

}  // namespace

std::optional<Url> parse_url(std::string_view text) {
  constexpr std::string_view kRefused = "\"'<>\\^`{|}";
  for (const char c : text) {
    if (c <= ' ' || c > '~' || kRefused.find(c) != kRefused.npos) return std::nullopt;
  }
  const size_t scheme_end = text.find("://");
  if (scheme_end == text.npos) return std::nullopt;
  const std::string scheme = common::lower_case(text.substr(0, scheme_end));
  if (scheme != "http" && scheme != "https") return std::nullopt;
  std::string_view rest = text.substr(scheme_end + 3);
  rest = rest.substr(0, rest.find_first_of("/?#"));
  const size_t colon = rest.rfind(':');
  const bool has_port = colon != rest.npos && rest.find(']', colon) == rest.npos;
  const std::string host = common::lower_case(rest.substr(0, has_port ? colon : rest.npos));
  const std::string_view port = has_port ? rest.substr(colon + 1) : scheme == "https" ? "443" : "80";
  const bool is_port = !port.empty() && port.size() <= 5 && std::ranges::all_of(port, is_digit);
  if (!is_host(host) || !is_port) return std::nullopt;
  return Url{.text = std::string(text),
             .origin = scheme + "://" + host + ":" + std::string(port),
             .is_secure = scheme == "https",
             .is_this_machine = is_loopback(host)};
}

std::string escaped_path(std::string_view path) { return escaped(path, "/"); }

std::string escaped_part(std::string_view part) { return escaped(part, ""); }

}  // namespace bert::fetch
