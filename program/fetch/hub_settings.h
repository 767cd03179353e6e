// The hub's address, the user's token, and the folder of models, from the environment variables that the hub's own tool
// reads. Stateless.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "models/files/hub_cache.h"
#include "program/fetch/url.h"

namespace bert::fetch {

struct HubSettings {
  Url endpoint;              // HF_ENDPOINT, else https://huggingface.co; without a slash at its end
  std::string token;         // HF_TOKEN, else the content of HF_TOKEN_PATH, HF_HOME/token or ~/.cache/huggingface/token
  std::string certificates;  // SSL_CERT_FILE, REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE; empty: the system's
  size_t timeout_seconds = 10;  // HF_HUB_DOWNLOAD_TIMEOUT
  std::filesystem::path cache;  // from hub_cache_directory
  bool is_offline = false;      // HF_HUB_OFFLINE is 1, ON, YES or TRUE
};

// Throws Error(kInvalidArgument) for an invalid address, a timeout that is not a number from 1 to 86,400, a token with
// characters other than visible ASCII, a token that would be sent over http to another machine, and if no variable
// tells where the cache is.
HubSettings hub_settings(const Environment& environment);

}  // namespace bert::fetch
