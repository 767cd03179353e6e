#include "program/server/routes/access.h"

#include <algorithm>

#include "program/common/words.h"
#include "program/server/routes/api_error.h"

namespace bert::server {
namespace {

// Returns the host without the port, and without the dot at the end of an absolute name.
std::string_view name_of_host(std::string_view host) {
  if (!host.ends_with(']')) host = host.substr(0, host.rfind(':'));
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

bool is_loopback_name(std::string_view name) {
  return name == "localhost" || name.ends_with(".localhost") || name == "[::1]" ||
         (name.starts_with("127.") && name.find_first_not_of("0123456789.") == name.npos);
}

}  // namespace

// A page whose name is made to resolve to this machine (DNS rebinding) has its own name in the field Host. A request
// without a host does not come from a browser.
void check_host(const HttpRequest& head, const std::vector<std::string>& allowed) {
  if (head.door == Door::kUnixSocket || head.host.empty()) return;
  if (head.door == Door::kOther && allowed.empty()) return;
  const std::string_view name = name_of_host(head.host);
  if (head.door == Door::kLoopback && is_loopback_name(name)) return;
  if (std::any_of(allowed.begin(), allowed.end(),
                  [&](const std::string& one) { return one == "*" || common::lower_case(one) == name; })) {
    return;
  }
  throw ApiError(Fault::kMisdirected, "the request is for the host '" + std::string(name.substr(0, 200)) +
                                          "', expected a name of this server (--allowed-host gives it more)");
}

std::string client_address(const HttpRequest& head, const std::string& field) {
  constexpr size_t kLongest = 64;
  std::string_view given = field.empty() ? std::string_view() : head.field(common::lower_case(field));
  given = given.substr(std::min(given.find_last_of(", \t") + 1, given.size()));
  return given.empty() ? head.client : std::string(given.substr(0, kLongest));
}

bool is_json(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  return common::lower_case(type) == "application/json";
}

}  // namespace bert::server
