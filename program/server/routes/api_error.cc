#include "program/server/routes/api_error.h"

#include <algorithm>
#include <iterator>

#include "engine/base/json/json_writer.h"

namespace bert::server {
namespace {

struct FaultEntry {
  Fault fault;
  const char* name;
  // Status codes of the original APIs.
  int openai, tei, jina, cohere, ollama;
  const char* tei_type;
};

constexpr FaultEntry kFaults[] = {
    {Fault::kSyntax, "syntax", 400, 400, 422, 400, 400, "Validation"},
    {Fault::kInvalid, "validation", 400, 422, 422, 400, 400, "Validation"},
    {Fault::kEmpty, "empty", 400, 400, 422, 400, 400, "Empty"},
    {Fault::kTooLong, "too_long", 400, 422, 400, 400, 400, "Validation"},
    {Fault::kTooManyTexts, "too_many_texts", 400, 422, 422, 400, 400, "Validation"},
    {Fault::kModelNotFound, "model_not_found", 404, 404, 404, 404, 404, "Validation"},
    {Fault::kWrongKind, "wrong_kind", 400, 424, 400, 400, 400, "Backend"},
    {Fault::kUnsupported, "unsupported", 501, 501, 501, 501, 501, "Backend"},
    {Fault::kNotFound, "not_found", 404, 404, 404, 404, 404, "Validation"},
    {Fault::kMethod, "method", 405, 405, 405, 405, 405, "Validation"},
    {Fault::kUnauthorized, "unauthorized", 401, 401, 401, 401, 401, "Validation"},
    {Fault::kTooLarge, "too_large", 413, 413, 413, 413, 413, "Validation"},
    {Fault::kHeaderTooLarge, "header_too_large", 431, 431, 431, 431, 431, "Validation"},
    {Fault::kTimeout, "timeout", 408, 408, 408, 408, 408, "Validation"},
    {Fault::kMediaType, "media_type", 415, 415, 415, 415, 415, "Validation"},
    {Fault::kMisdirected, "misdirected", 421, 421, 421, 421, 421, "Validation"},
    {Fault::kOverloaded, "overloaded", 429, 429, 429, 429, 429, "Overloaded"},
    {Fault::kUnavailable, "unavailable", 503, 503, 503, 503, 503, "Unhealthy"},
    {Fault::kInternal, "internal", 500, 424, 500, 500, 500, "Backend"},
};

const FaultEntry& entry_of(Fault fault) {
  return *std::find_if(std::begin(kFaults), std::end(kFaults), [&](const FaultEntry& e) { return e.fault == fault; });
}

std::string openai_body(const ApiError& error, const FaultEntry& entry) {
  JsonWriter inner;
  inner.string("message", error.what());
  inner.string("type", entry.openai >= 500   ? "server_error"
                       : entry.openai == 429 ? "rate_limit_error"
                                             : "invalid_request_error");
  if (error.parameter().empty()) {
    inner.member("param") += "null";
  } else {
    inner.string("param", error.parameter());
  }
  switch (error.fault()) {
    case Fault::kModelNotFound:
    case Fault::kOverloaded:
      inner.string("code", entry.name);
      break;
    case Fault::kUnauthorized:
      inner.string("code", "invalid_api_key");
      break;
    case Fault::kTooLong:
      inner.string("code", "context_length_exceeded");
      break;
    default:
      inner.member("code") += "null";
  }
  JsonWriter object;
  object.member("error") += inner.take();
  return object.take();
}

// Returns an error after which another attempt may succeed.
ApiError unavailable(const std::string& reason) {
  return with_field({Fault::kUnavailable, reason}, "Retry-After", "1");
}

}  // namespace

std::string_view name(Fault fault) { return entry_of(fault).name; }

std::string log_text(const ApiError& error) {
  if (error.fault() == Fault::kInternal || error.fault() == Fault::kUnavailable) return error.what();
  std::string text(name(error.fault()));
  if (!error.parameter().empty()) text += ": '" + error.parameter() + "'";
  return text;
}

ApiError without_directories(const ApiError& error, const ModelSet& models) {
  ApiError told(error.fault(), models.without_directories(error.what()), error.parameter());
  told.fields = error.fields;
  return told;
}

ApiError with_field(ApiError error, std::string field, std::string value) {
  error.fields.emplace_back(std::move(field), std::move(value));
  return error;
}

ApiError as_api_error(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kNonFinite:
    case ErrorCode::kIo:
    case ErrorCode::kInvalidFile:
      return {Fault::kInternal, error.what()};
    case ErrorCode::kOutOfMemory:
      return unavailable(error.what());
    default:
      return {Fault::kInvalid, error.what()};
  }
}

ApiError lack_of_memory(const std::string& subject) { return unavailable("not enough memory for " + subject); }

ApiError too_large_answer(size_t most) {
  return {Fault::kTooLarge, "the answer needs more than " + std::to_string(most) +
                                " bytes of memory; expected a request of fewer texts or tokens"};
}

HttpResponse error_response(ApiStyle style, const ApiError& error) {
  const FaultEntry& entry = entry_of(error.fault());
  HttpResponse response;
  response.fields = error.fields;
  JsonWriter object;
  switch (style) {
    case ApiStyle::kOpenAi:
      response.status = entry.openai;
      response.body = openai_body(error, entry);
      return response;
    case ApiStyle::kTei:
      response.status = entry.tei;
      object.string("error", error.what());
      object.string("error_type", entry.tei_type);
      break;
    case ApiStyle::kJina:
      response.status = entry.jina;
      object.string("detail", error.what());
      break;
    case ApiStyle::kCohere:
      response.status = entry.cohere;
      object.string("message", error.what());
      break;
    case ApiStyle::kOllama:
      response.status = entry.ollama;
      object.string("error", error.what());
      break;
  }
  response.body = object.take();
  return response;
}

}  // namespace bert::server
