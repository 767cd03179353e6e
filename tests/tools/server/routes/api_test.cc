#include "tools/server/routes/api.h"

#include <gtest/gtest.h>

namespace bert::test {
namespace {

using server::ApiError;
using server::ApiStyle;
using server::Fault;

// The bodies of the originals: OpenAI's error object, text-embeddings-inference's ErrorResponse, FastAPI's detail,
// Cohere's message, Ollama's error.
TEST(Api, HasEachOriginalsErrors) {
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

// A client may try again, as when the server is loading.
TEST(Api, AnswersATextWithoutMemoryWith503) {
  const ApiError error = server::as_api_error(Error(ErrorCode::kOutOfMemory, "no memory"));
  for (const ApiStyle style : {ApiStyle::kOpenAi, ApiStyle::kTei, ApiStyle::kCohere}) {
    const server::HttpResponse response = server::error_response(style, error);
    EXPECT_EQ(response.status, 503);
    EXPECT_EQ(response.fields.at(0).first, "Retry-After");
  }
}

TEST(Api, CountsCharactersNotBytes) {
  server::Job job;
  job.texts = {{.text = "\u00e9\u4f60"}, {.text = "a", .pair = "bc"}};
  job.outputs.resize(2);
  job.outputs[0].tokens = 3;
  job.outputs[0].truncated_tokens = 1;
  job.outputs[1].tokens = 4;
  const server::Usage usage = server::usage_of(job);
  EXPECT_EQ(usage.characters, 5u);
  EXPECT_EQ(usage.tokens, 7u);
  EXPECT_EQ(usage.truncated_tokens, 1u);
}

}  // namespace
}  // namespace bert::test
