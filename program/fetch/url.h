// Addresses of http and https. Only what every reader of addresses understands in the same way is taken: a host that
// one program sees in an address and another does not would get a token that is not for it. Stateless.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bert::fetch {

struct Url {
  std::string text;    // as it was given
  std::string origin;  // scheme, host and port in lower case: "https://huggingface.co:443"
  bool is_secure = false;
  bool is_this_machine = false;  // localhost, 127.0.0.0/8 or [::1]
};

// nullopt unless the text is http:// or https://, a host of letters, digits, '.', '-' and '_' or an IPv6 address in
// brackets, an optional port, and a path without spaces, control characters, quotes, backslashes and bytes above ASCII.
// An address with a user's name is not taken.
std::optional<Url> parse_url(std::string_view text);

// A path of an address: every byte but letters, digits, '-', '.', '_', '~' and '/' as %HH.
std::string escaped_path(std::string_view path);
// The same for one part of a path: '/' too.
std::string escaped_part(std::string_view part);

}  // namespace bert::fetch
