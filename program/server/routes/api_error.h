// The errors of requests, and the status and body of each in the API of its route. Stateless.
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

// The API whose errors a route returns.
enum class ApiStyle { kOpenAi, kTei, kJina, kCohere, kOllama };

enum class Fault {
  kSyntax,          // the body is not JSON
  kInvalid,         // a field is missing or wrong
  kEmpty,           // no texts
  kTooLong,         // a text has too many tokens
  kTooManyTexts,    // too many in one request
  kModelNotFound,   // no model of this name
  kWrongKind,       // the model cannot do what the route needs
  kUnsupported,     // the server does not support this
  kNotFound,        // no such path
  kMethod,          // the path exists with other methods
  kUnauthorized,    // no API key, or a wrong one
  kTooLarge,        // the body
  kHeaderTooLarge,  // the header
  kTimeout,         // the request came too slowly
  kMediaType,       // a compressed body, or a web page's body that is not JSON
  kMisdirected,     // for a host whose name is not this server's
  kOverloaded,      // the queue is full
  kUnavailable,     // loading, draining or out of memory
  kInternal,        // an error of this server
};

class ApiError : public std::runtime_error {
 public:
  // parameter: the field of the request that is wrong, if it is a field.
  ApiError(Fault fault, const std::string& message, std::string parameter = "")
      : std::runtime_error(message), fault_(fault), parameter_(std::move(parameter)) {}

  Fault fault() const { return fault_; }
  const std::string& parameter() const { return parameter_; }
  std::vector<std::pair<std::string, std::string>> fields = {};  // for the answer: Retry-After, Allow

 private:
  Fault fault_;
  std::string parameter_;
};

// Returns the error as clients see it: with ModelSet::without_directories.
ApiError without_directories(const ApiError& error, const ModelSet& models);
ApiError with_field(ApiError error, std::string field, std::string value);
// Converts an error of the library to an error of the request.
ApiError as_api_error(const Error& error);
// subject: what the memory was needed for.
ApiError lack_of_memory(const std::string& subject);
// most: the most bytes of an answer.
ApiError too_large_answer(size_t most);

// Returns the status and body of the API's original for such an error.
HttpResponse error_response(ApiStyle style, const ApiError& error);
// Returns the word for metrics and logs: "overloaded".
std::string_view name(Fault fault);
// Returns the text for the log: the message if the server is at fault, else only the fault's name and the field,
// because a message may quote what the client sent.
std::string log_text(const ApiError& error);

}  // namespace bert::server
