// HTTP GET by libcurl. Redirects are followed here, so that every address is checked and the token is sent only to the
// hub. Used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "program/fetch/url.h"

namespace bert::fetch {

// Thrown for a failed transfer that may succeed on another try: no connection, too slow, interrupted. The message does
// not include the address.
class TransferError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct HttpSettings {
  Url endpoint;
  std::string token = {};         // sent only to the endpoint's origin; empty: none
  std::string certificates = {};  // a file of trusted certificates; empty: the system's
  size_t timeout_seconds = 10;    // for connecting, and for receiving at least kLeastBytesPerSecond
  std::string agent = {};         // the User-Agent
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers = {};        // of the last answer; names are in lower case
  std::map<std::string, std::string> first_headers = {};  // of the answer before redirects, for HttpBody
  std::string error_text = {};                            // the beginning of the body of an answer that is not a
                                                          // success
};

// Receives the body of a successful answer (200 or 206). An exception ends the transfer and reaches get's caller.
class HttpBody {
 public:
  virtual ~HttpBody() = default;
  virtual void begin(const HttpResponse& response) = 0;  // called before the first bytes, also if there are none
  virtual void add(std::string_view bytes) = 0;
};

class HttpClient {
 public:
  static constexpr int kMostRedirects = 10;
  static constexpr size_t kLeastBytesPerSecond = 200;
  static constexpr size_t kMostErrorBytes = 4096, kMostHeaderBytes = 65536;

  // Throws Error(kUnsupported) without libcurl.
  explicit HttpClient(HttpSettings settings);
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  const HttpSettings& settings() const { return settings_; }

  // Requests `url`, starting at byte `from`, and follows up to ten redirects to http or https, never from https to
  // http. Returns the last answer, whatever its status. Throws TransferError; Error(kInvalidFile) for a redirect that
  // is not followed; Error(kInvalidArgument) for an untrusted certificate.
  HttpResponse get(const Url& url, uint64_t from, HttpBody& body);

 private:
  struct Transfer;

  HttpSettings settings_;
  std::unique_ptr<void, void (*)(void*)> handle_;  // libcurl's handle, which keeps connections open
};

}  // namespace bert::fetch
