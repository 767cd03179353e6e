// What is wrong with a request, and the status and body that the API of its route has for it. Stateless.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bert/error.h"
#include "program/server/http/message.h"
#include "program/server/queue/model_set.h"

namespace bert::server {

// Whose errors a route has.
enum class ApiStyle { kOpenAi, kTei, kJina, kCohere, kOllama };

enum class Fault {
  kSyntax,          // the body is not JSON
  kInvalid,         // a field is missing or wrong
  kEmpty,           // no texts
  kTooLong,         // a text has too many tokens
  kTooManyTexts,    // in one request
  kModelNotFound,   // no model of this name
  kWrongKind,       // the model does not do what the route needs
  kUnsupported,     // the server does not do this
  kNotFound,        // no such path
  kMethod,          // the path has other methods
  kUnauthorized,    // no API key, or a wrong one
  kTooLarge,        // body
  kHeaderTooLarge,  // header
  kTimeout,         // the request came too slowly
  kMediaType,       // a compressed body, or a web page's that is not JSON
  kMisdirected,     // for a host whose name is not this server's
  kOverloaded,      // the queue is full
  kUnavailable,     // loading, draining or without memory
  kInternal,        // of this server
};

class ApiError : public std::runtime_error {
 public:
  // parameter: the field of the request that is wrong, if it is one.
  ApiError(Fault fault, const std::string& message, std::string parameter = "")
      : std::runtime_error(message), fault_(fault), parameter_(std::move(parameter)) {}

  Fault fault() const { return fault_; }
  const std::string& parameter() const { return parameter_; }
  std::vector<std::pair<std::string, std::string>> fields = {};  // of the answer: Retry-After, Allow

 private:
  Fault fault_;
  std::string parameter_;
};

// As clients are told it: ModelSet::without_directories.
ApiError without_directories(const ApiError& error, const ModelSet& models);
ApiError with_field(ApiError error, std::string field, std::string value);
// What the library rejects, as an error of the request.
ApiError as_api_error(const Error& error);
// subject: what memory was needed for.
ApiError lack_of_memory(const std::string& subject);
// most: bytes that one answer can have.
ApiError too_large_answer(size_t most);

// The status and body that the API's original has for such an error.
HttpResponse error_response(ApiStyle style, const ApiError& error);
// As a word, for metrics and logs: "overloaded".
std::string_view name(Fault fault);
// What the log says of it: the message where the server is at fault, else the fault's name and the field, as a message
// may quote what the client sent.
std::string log_text(const ApiError& error);

}  // namespace bert::server
