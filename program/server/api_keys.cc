#include "program/server/api_keys.h"

#include <sstream>
#include <utility>

#include "bert/error.h"
#include "program/common/secret_file.h"

namespace bert::server {
namespace {

bool equal_in_constant_time(std::string_view given, std::string_view key) {
  volatile unsigned char difference = given.size() == key.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    const char expected = key.empty() ? '\0' : key[i % key.size()];
    difference = static_cast<unsigned char>(difference | (given[i] ^ expected));
  }
  return difference == 0;
}

}  // namespace

ApiKeys::ApiKeys(std::string file, std::string environment_key)
    : file_(std::move(file)), environment_key_(std::move(environment_key)) {
  reload();
}

void ApiKeys::reload() {
  std::vector<std::string> keys;
  if (!environment_key_.empty()) keys.push_back(environment_key_);
  if (!file_.empty()) {
    const size_t before = keys.size();
    std::istringstream file(common::read_secret_file(file_, "API keys, one a line"));
    file.exceptions(std::ios::badbit);  // otherwise a line without memory would look like the end of the keys
    for (std::string line; std::getline(file, line);) {
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
      if (!line.empty() && line.front() != '#') keys.push_back(line);
    }
    if (keys.size() == before)
      throw Error(ErrorCode::kInvalidFile, "'" + file_ + "' has no API key, expected one a line");
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  keys_ = std::move(keys);
}

bool ApiKeys::accepts(std::string_view authorization) const {
  constexpr std::string_view kScheme = "Bearer ";
  if (authorization.size() < kScheme.size()) return false;
  for (size_t i = 0; i < kScheme.size(); ++i) {
    if ((authorization[i] | 0x20) != (kScheme[i] | 0x20)) return false;
  }
  const std::string_view given = authorization.substr(kScheme.size());
  const std::lock_guard<std::mutex> lock(mutex_);
  bool accepted = false;
  for (const std::string& key : keys_) accepted = equal_in_constant_time(given, key) || accepted;
  return accepted;
}

}  // namespace bert::server
