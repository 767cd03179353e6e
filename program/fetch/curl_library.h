// The functions of libcurl that are used, looked up in the system's library on first use, so that the program starts
// without it. Names and numbers are those of curl/curl.h since version 7.61. Immutable.
#pragma once

#include <cstddef>

namespace bert::fetch {

struct CurlLibrary {
  struct HeaderList;  // curl_slist

  // CURLOPT_…
  enum Option : int {
    kWriteData = 10001,
    kUrl = 10002,
    kErrorBuffer = 10010,
    kUserAgent = 10018,
    kHttpHeader = 10023,
    kHeaderData = 10029,
    kCaInfo = 10065,
    kNoProxy = 10177,
    kWriteFunction = 20011,
    kHeaderFunction = 20079,
    kLowSpeedLimit = 19,   // bytes per second
    kLowSpeedTime = 20,    // seconds
    kConnectTimeout = 78,  // seconds
    kNoSignal = 99,
    kProtocols = 181,
    kSuppressConnectHeaders = 265,
  };
  static constexpr long kHttpAndHttps = 3;        // for CURLOPT_PROTOCOLS
  static constexpr size_t kErrorBytes = 256;      // CURL_ERROR_SIZE
  static constexpr int kResponseCode = 0x200002;  // CURLINFO_…
  static constexpr int kRedirectUrl = 0x10001F;

  // CURLE_…
  enum Code : int { kOk = 0, kCertificateProblem = 58, kCertificateRefused = 60, kBadCertificateFile = 77 };

  void* (*init)() = nullptr;
  int (*set)(void* transfer, int option, ...) = nullptr;
  int (*perform)(void* transfer) = nullptr;
  int (*get)(void* transfer, int info, ...) = nullptr;
  void (*cleanup)(void* transfer) = nullptr;
  const char* (*message)(int code) = nullptr;
  HeaderList* (*append)(HeaderList* list, const char* line) = nullptr;
  void (*free_list)(HeaderList* list) = nullptr;
};

// Loads the library on the first call. Throws Error(kUnsupported) if it is missing, or if this program is static and
// loads none; the message names Debian's package, and another way to fetch a model.
const CurlLibrary& curl_library();

}  // namespace bert::fetch
