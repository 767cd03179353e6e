#include "program/fetch/http_client.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "program/common/words.h"
#include "program/fetch/curl_library.h"

namespace bert::fetch {
namespace {

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

// One request and its answer as it arrives. libcurl calls the functions, and no exception may pass through it.
struct HttpClient::Transfer {
  Transfer(const HttpSettings& given, void* used, HttpBody& receiver)
      : settings(given), body(receiver), library(curl_library()), handle(used) {}

  void set(int option, auto value) {
    if (const int code = library.set(handle, option, value); code != CurlLibrary::kOk) {
      throw Error(ErrorCode::kUnsupported,
                  "fetch: libcurl refuses option " + std::to_string(option) + ": " + library.message(code));
    }
  }

  void perform(const Url& url, uint64_t from) {
    using Free = void (*)(CurlLibrary::HeaderList*);
    std::unique_ptr<CurlLibrary::HeaderList, Free> lines(nullptr, library.free_list);
    const auto add = [&](const std::string& line) {
      CurlLibrary::HeaderList* longer = library.append(lines.get(), line.c_str());
      if (longer == nullptr) throw std::bad_alloc();
      (void)lines.release();
      lines.reset(longer);
    };
    // Digests are of the file's bytes, so the transfer must not be compressed.
    add("Accept-Encoding: identity");
    if (from > 0) add("Range: bytes=" + std::to_string(from) + "-");
    const bool has_token = !settings.token.empty() && url.origin == settings.endpoint.origin;
    if (has_token) add("Authorization: Bearer " + settings.token);
    // A proxy could read a token that is sent unencrypted, as may happen for this machine; null: as the environment
    // says.
    set(CurlLibrary::kNoProxy, has_token && !url.is_secure ? "*" : static_cast<const char*>(nullptr));
    char problem[CurlLibrary::kErrorBytes] = "";
    set(CurlLibrary::kUrl, url.text.c_str());
    set(CurlLibrary::kHttpHeader, lines.get());
    set(CurlLibrary::kErrorBuffer, problem);
    set(CurlLibrary::kUserAgent, settings.agent.c_str());
    set(CurlLibrary::kProtocols, CurlLibrary::kHttpAndHttps);
    set(CurlLibrary::kNoSignal, 1L);
    set(CurlLibrary::kSuppressConnectHeaders, 1L);
    set(CurlLibrary::kConnectTimeout, static_cast<long>(settings.timeout_seconds));
    set(CurlLibrary::kLowSpeedTime, static_cast<long>(settings.timeout_seconds));
    set(CurlLibrary::kLowSpeedLimit, static_cast<long>(kLeastBytesPerSecond));
    if (!settings.certificates.empty()) set(CurlLibrary::kCaInfo, settings.certificates.c_str());
    set(CurlLibrary::kHeaderFunction, &Transfer::take_header);
    set(CurlLibrary::kHeaderData, this);
    set(CurlLibrary::kWriteFunction, &Transfer::take_bytes);
    set(CurlLibrary::kWriteData, this);
    const int code = library.perform(handle);
    set(CurlLibrary::kErrorBuffer, static_cast<char*>(nullptr));  // the handle outlives the buffer
    set(CurlLibrary::kHttpHeader, static_cast<CurlLibrary::HeaderList*>(nullptr));
    read_status();
    if (thrown != nullptr) std::rethrow_exception(thrown);
    if (is_skipped) return;
    if (code == CurlLibrary::kOk) {
      if (is_success() && !is_begun) begin();
      return;
    }
    const std::string found = one_line(problem[0] != '\0' ? problem : library.message(code));
    if (code == CurlLibrary::kCertificateProblem || code == CurlLibrary::kCertificateRefused ||
        code == CurlLibrary::kBadCertificateFile) {
      throw Error(ErrorCode::kInvalidArgument,
                  quote(url.origin) + ": " + found +
                      ", expected a certificate of an authority of the system or of the file SSL_CERT_FILE");
    }
    throw TransferError(found);
  }

  bool is_success() const { return response.status == 200 || response.status == 206; }

  // Returns the number of bytes taken; another number ends the transfer.
  static size_t take_header(char* begin, size_t, size_t count, void* data) {
    auto& self = *static_cast<Transfer*>(data);
    return self.guarded([&] { self.header({begin, count}); }) ? count : 0;
  }
  static size_t take_bytes(char* begin, size_t, size_t count, void* data) {
    auto& self = *static_cast<Transfer*>(data);
    return self.guarded([&] { self.bytes({begin, count}); }) && !self.is_skipped ? count : 0;
  }

  bool guarded(auto take) {
    try {
      take();
      return true;
    } catch (...) {
      thrown = std::current_exception();
      return false;
    }
  }

  void header(std::string_view line) {
    header_bytes += line.size();
    if (header_bytes > kMostHeaderBytes) {
      throw TransferError("the header of an answer has more than " + std::to_string(kMostHeaderBytes) + " bytes");
    }
    if (line.starts_with("HTTP/")) {  // another answer begins, after an interim one
      response = {};
      return;
    }
    const size_t colon = line.find(':');
    if (colon == line.npos) return;
    response.headers.insert_or_assign(common::lower_case(common::trimmed(line.substr(0, colon))),
                                      std::string(common::trimmed(line.substr(colon + 1))));
  }

  void bytes(std::string_view text) {
    read_status();
    if (is_success()) {
      if (!is_begun) begin();
      body.add(text);
      return;
    }
    const size_t room = kMostErrorBytes - std::min(kMostErrorBytes, response.error_text.size());
    response.error_text += text.substr(0, room);
    is_skipped = room <= text.size();  // the rest is not needed
  }

  void begin() {
    response.first_headers = first_headers == nullptr ? response.headers : *first_headers;
    is_begun = true;
    body.begin(response);
  }

  void read_status() {
    long status = 0;
    library.get(handle, CurlLibrary::kResponseCode, &status);
    response.status = static_cast<int>(status);
  }

  std::string redirect() const {
    const char* url = nullptr;
    library.get(handle, CurlLibrary::kRedirectUrl, &url);
    return url == nullptr ? "" : url;
  }

  const HttpSettings& settings;
  HttpBody& body;
  const CurlLibrary& library;
  void* handle;
  HttpResponse response;
  const std::map<std::string, std::string>* first_headers = nullptr;  // of an earlier answer, which redirected here
  size_t header_bytes = 0;
  bool is_begun = false;
  bool is_skipped = false;
  std::exception_ptr thrown;
};

HttpClient::HttpClient(HttpSettings settings)
    : settings_(std::move(settings)), handle_(curl_library().init(), curl_library().cleanup) {
  if (handle_ == nullptr) throw std::bad_alloc();
}

HttpResponse HttpClient::get(const Url& url, uint64_t from, HttpBody& body) {
  Url at = url;
  std::map<std::string, std::string> first_headers;
  for (int redirects = 0;; ++redirects) {
    Transfer transfer(settings_, handle_.get(), body);
    if (redirects > 0) transfer.first_headers = &first_headers;
    transfer.perform(at, from);
    HttpResponse& response = transfer.response;
    if (redirects == 0) first_headers = response.headers;
    const auto location = response.headers.find("location");
    if (!is_redirect(response.status) || location == response.headers.end()) return response;
    const auto refuse = [&](const std::string& what) {
      return Error(ErrorCode::kInvalidFile, quote(at.text) + ": " + what);
    };
    if (redirects == kMostRedirects) {
      throw refuse("more than " + std::to_string(kMostRedirects) + " redirects from " + quote(url.text));
    }
    const std::optional<Url> next = parse_url(transfer.redirect());
    if (!next) {
      throw refuse("redirect to " + quote(location->second) + ", expected an address of http or https without a user");
    }
    if (at.is_secure && !next->is_secure) {
      throw refuse("redirect to " + quote(next->text) + ", expected https, as the address before it");
    }
    at = *next;
  }
}

}  // namespace bert::fetch
