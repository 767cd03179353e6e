// Addresses of http and https. Only addresses that every parser understands alike are accepted: if one program sees
// another host in an address than another program does, a token could go to the wrong host. Stateless.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bert::fetch {

struct Url {
  std::string text;    // as given
  std::string origin;  // scheme, host and port in lower case: "https://huggingface.co:443"
  bool is_secure = false;
  bool is_this_machine = false;  // localhost, 127.0.0.0/8 or [::1]
};

// Returns nullopt unless the text is http:// or https://, a host (letters, digits, '.', '-' and '_', or an IPv6 address
// in brackets), an optional port, and a path without spaces, control characters, quotes, backslashes and bytes above
// ASCII. An address with a user's name is rejected.
std::optional<Url> parse_url(std::string_view text);

// Returns a path for an address: every byte but letters, digits, '-', '.', '_', '~' and '/' becomes %HH.
std::string escaped_path(std::string_view path);
// As escaped_path for one part of a path: '/' is escaped too.
std::string escaped_part(std::string_view part);

}  // namespace bert::fetch
