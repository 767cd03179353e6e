#include "program/fetch/hub_settings.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "program/common/secret_file.h"
#include "program/common/words.h"

namespace bert::fetch {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMostTokenBytes = 4096, kLongestTimeout = 86'400;
constexpr const char* kHub = "https://huggingface.co";

Error wrong_variable(const std::string& what) { return Error(ErrorCode::kInvalidArgument, what); }

class Variables {
 public:
  explicit Variables(const Environment& environment) : environment_(environment) {}

  std::string operator()(const char* name) const { return environment_(name).value_or(""); }
  // Returns a path, expanded by expanded_path.
  std::string path(const char* name) const { return expanded_path((*this)(name), environment_); }

 private:
  const Environment& environment_;
};

Url endpoint_of(const Variables& variables) {
  std::string text = variables("HF_ENDPOINT");
  if (text.empty()) text = kHub;
  while (text.ends_with('/')) text.pop_back();
  const std::optional<Url> url = parse_url(text);
  if (url && text.find_first_of("?#") == text.npos) return *url;
  throw wrong_variable("HF_ENDPOINT " + quote(text) + ", expected an address such as " + kHub);
}

size_t timeout_of(const Variables& variables) {
  const std::string text = variables("HF_HUB_DOWNLOAD_TIMEOUT");
  if (text.empty()) return HubSettings{}.timeout_seconds;
  size_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error == std::errc() && end == text.data() + text.size() && seconds > 0 && seconds <= kLongestTimeout) {
    return seconds;
  }
  throw wrong_variable("HF_HUB_DOWNLOAD_TIMEOUT " + quote(text) + ", expected a number of seconds from 1 to " +
                       std::to_string(kLongestTimeout));
}

// Returns the token, and its source.
std::pair<std::string, std::string> token_of(const Variables& variables) {
  if (const std::string token(common::trimmed(variables("HF_TOKEN"))); !token.empty()) return {token, "HF_TOKEN"};
  fs::path file = variables.path("HF_TOKEN_PATH");
  if (file.empty()) {
    // The token is beside the folder that would be the cache if HF_HUB_CACHE did not move it.
    const fs::path hub = hub_cache_directory([&](const char* name) -> std::optional<std::string> {
      const std::string_view asked = name;
      return asked == "HF_HUB_CACHE" || asked == "HUGGINGFACE_HUB_CACHE" ? std::string() : variables(name);
    });
    if (hub.empty()) return {};
    file = hub.parent_path() / "token";
  }
  const std::string text =
      common::read_secret_file_if_there(file.string(), "a token of the hub", kMostTokenBytes).value_or("");
  return {std::string(common::trimmed(text)), quote_path(file.string())};
}

}  // namespace

HubSettings hub_settings(const Environment& environment) {
  const Variables variables(environment);
  HubSettings settings;
  settings.endpoint = endpoint_of(variables);
  settings.timeout_seconds = timeout_of(variables);
  settings.cache = hub_cache_directory(environment);
  if (settings.cache.empty()) {
    throw wrong_variable(std::string("no cache to fetch into: set HF_HUB_CACHE, HF_HOME or ") + kHomeVariable);
  }
  for (const char* name : {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}) {
    if (settings.certificates.empty()) settings.certificates = variables(name);
  }
  const auto [token, source] = token_of(variables);
  if (!std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; })) {
    throw wrong_variable("the token of " + source + " has a character that no token has");  // a secret, so it is not
                                                                                            // shown
  }
  if (!token.empty() && !settings.endpoint.is_secure && !settings.endpoint.is_this_machine) {
    throw wrong_variable("the token of " + source + " is not sent to " + quote(settings.endpoint.text) +
                         ", expected https");
  }
  settings.token = token;
  const std::string offline = common::lower_case(variables("HF_HUB_OFFLINE"));
  settings.is_offline = offline == "1" || offline == "on" || offline == "yes" || offline == "true";
  return settings;
}

}  // namespace bert::fetch
