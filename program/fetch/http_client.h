// HTTP GET by libcurl, with redirects followed here, so that every address is checked and the token goes to the hub
// alone. A client is used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "program/fetch/url.h"

namespace bert::fetch {

// The transfer failed in a way that another try may mend: no connection, too slow, broken off. What was found, without
// the address.
class TransferError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct HttpSettings {
  Url endpoint;
  std::string token = {};         // sent to the endpoint's origin only; empty: none
  std::string certificates = {};  // a file of trusted certificates; empty: the system's
  size_t timeout_seconds = 10;    // to connect, and in which less than kLeastBytesPerSecond come
  std::string agent = {};         // the User-Agent
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers = {};        // of the last answer; names in lower case
  std::map<std::string, std::string> first_headers = {};  // of the answer before redirects, for HttpBody
  std::string error_text = {};                            // the beginning of an answer's body that is no success
};

// Receives the body of a successful answer (200 or 206). What it throws ends the transfer and reaches get's caller.
class HttpBody {
 public:
  virtual ~HttpBody() = default;
  virtual void begin(const HttpResponse& response) = 0;  // before the first bytes, also if there are none
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

  // Requests `url`, from byte `from` on, and follows up to ten redirects to http or https, never from https to http.
  // Returns the last answer, whatever its status. Throws TransferError; Error(kInvalidFile) for a redirect that is not
  // followed; Error(kInvalidArgument) for a certificate that is not trusted.
  HttpResponse get(const Url& url, uint64_t from, HttpBody& body);

 private:
  struct Transfer;

  HttpSettings settings_;
  std::unique_ptr<void, void (*)(void*)> handle_;  // libcurl's, which keeps connections open
};

}  // namespace bert::fetch
