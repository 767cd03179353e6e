#include "program/server/routes/api_error.h"

#include <gtest/gtest.h>

namespace bert::test {
namespace {

using server::ApiError;
using server::ApiStyle;
using server::Fault;

// Expects the error bodies of the services that the routes imitate: OpenAI's error object, text-embeddings-inference's
// ErrorResponse, FastAPI's detail, Cohere's message and Ollama's error.
TEST(ApiError, HasEachOriginalsErrors) {
  const ApiError error(Fault::kInvalid, "no", "input");
  const auto body = [&](ApiStyle style) { return server::error_response(style, error).body; };
  EXPECT_EQ(body(ApiStyle::kOpenAi),
            R"({"error":{"message":"no","type":"invalid_request_error","param":"input","code":null}})");
  EXPECT_EQ(body(ApiStyle::kTei), R"({"error":"no","error_type":"Validation"})");
  EXPECT_EQ(body(ApiStyle::kJina), R"({"detail":"no"})");
  EXPECT_EQ(body(ApiStyle::kCohere), R"({"message":"no"})");
  EXPECT_EQ(body(ApiStyle::kOllama), R"({"error":"no"})");
  EXPECT_EQ(server::error_response(ApiStyle::kOpenAi, error).status, 400);
  EXPECT_EQ(server::error_response(ApiStyle::kTei, error).status, 422);
  EXPECT_EQ(server::error_response(ApiStyle::kTei, {Fault::kOverloaded, ""}).status, 429);
  EXPECT_EQ(server::error_response(ApiStyle::kTei, {Fault::kInternal, ""}).status, 424);
  EXPECT_EQ(server::error_response(ApiStyle::kOpenAi, {Fault::kInternal, ""}).status, 500);
}

// The status 503 tells a client that it may try again, as when the server is loading.
TEST(ApiError, AnswersATextWithoutMemoryWith503) {
  const ApiError error = server::as_api_error(Error(ErrorCode::kOutOfMemory, "no memory"));
  for (const ApiStyle style : {ApiStyle::kOpenAi, ApiStyle::kTei, ApiStyle::kCohere}) {
    const server::HttpResponse response = server::error_response(style, error);
    EXPECT_EQ(response.status, 503);
    EXPECT_EQ(response.fields.at(0).first, "Retry-After");
  }
}

}  // namespace
}  // namespace bert::test
