#include "program/server/routes/request_fields.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/program/server/test_service.h"

namespace bert::test {
namespace {

using nlohmann::json;
using server::HttpResponse;

const server::Route& route_at(const std::string& path) { return *server::match_route("POST", path).route; }

TEST(RequestFields, OfNoSchemaAreIgnoredAndNamed) {
  TestService service;
  const HttpResponse answer = service.post("/v1/embeddings", R"({"input": "a", "priority": 3, "Ü": 1, "user": "me"})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(field_of(answer, "x-ignored-fields"), "priority, ??");
  EXPECT_EQ(field_of(service.post("/embed", R"({"inputs": "a", "x": null})"), "x-ignored-fields"), "");
}

TEST(RequestFields, ThatWouldChangeTheAnswerAreRefusedByName) {
  TestService service;
  for (const auto& [path, field] : {std::pair("/v1/embeddings", "task"),
                                    {"/embeddings", "input_type"},
                                    {"/v2/embed", "max_tokens"},
                                    {"/v1/rerank", "max_doc_length"},
                                    {"/v2/rerank", "max_tokens_per_doc"},
                                    {"/v2/rerank", "max_doc_length"},
                                    {"/v2/rerank", "return_embeddings"},
                                    {"/v2/rerank", "truncate_prompt_tokens"},
                                    {"/rerank", "documents"},
                                    {"/v1/embeddings", "normalized"},
                                    {"/v1/embeddings", "embedding_type"}}) {
    const json body = {{"input", "a"}, {"texts", {"a"}}, {"query", "a"}, {"documents", {"a"}}, {field, 1}};
    const HttpResponse answer = service.post(path, body.dump());
    EXPECT_GE(answer.status, 400) << path;
    EXPECT_NE(answer.body.find("'" + std::string(field) + "' is not supported by this route"), std::string::npos)
        << path << ": " << answer.body;
  }
}

TEST(RequestFields, ThatSayWhatTheRouteDoesAreTaken) {
  TestService service;
  const json plain = service.json("/v1/embeddings", {{"input", "a dog"}});
  for (const json& more : {json{{"normalized", true}}, json{{"normalize", true}}, json{{"embedding_type", "float"}},
                           json{{"output_dtype", "float"}}, json{{"add_special_tokens", true}}}) {
    json body = {{"input", "a dog"}};
    body.update(more);
    const HttpResponse answer = service.post("/v1/embeddings", body.dump());
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(json::parse(answer.body)["data"], plain["data"]);
    EXPECT_EQ(field_of(answer, "x-ignored-fields"), "");
  }
  const HttpResponse other = service.post("/v1/embeddings", R"({"input": "a", "normalized": false})");
  EXPECT_EQ(other.status, 400);
  EXPECT_NE(other.body.find("'normalized' is not supported by this route, expected true or none"), std::string::npos);
}

// Lists the fields that each route's handler reads. A field counts as read if it changes the answer.
TEST(RequestFields, OfTheSchemasAreKnown) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> read = {
      {"/v1/embeddings", {"model", "input", "encoding_format", "dimensions", "truncate", "late_chunking", "partial"}},
      {"/embed", {"inputs", "normalize", "dimensions", "truncate", "truncation_direction", "prompt_name", "partial"}},
      {"/embed_sparse", {"inputs", "truncate", "truncation_direction", "prompt_name", "partial"}},
      {"/predict", {"inputs", "raw_scores", "truncate", "truncation_direction", "partial"}},
      {"/rerank", {"query", "texts", "raw_scores", "return_text", "truncate", "truncation_direction", "prompt_name"}},
      {"/tokenize", {"inputs", "add_special_tokens", "prompt_name", "offsets"}},
      {"/decode", {"ids", "skip_special_tokens"}},
      {"/v1/rerank", {"model", "query", "documents", "top_n", "return_documents", "raw_scores", "truncate"}},
      {"/v2/rerank", {"model", "query", "documents", "top_n", "return_documents", "raw_scores", "truncate"}},
      {"/v1/multi-vector", {"model", "input", "input_type", "embedding_type", "dimensions", "truncate", "partial"}},
      {"/v1/ner",
       {"model", "input", "labels", "threshold", "nested", "multi_label", "aggregation", "offsets", "partial"}},
      {"/v1/classify", {"model", "input", "labels", "multi_label", "top_k", "truncate", "partial"}},
      {"/pooling", {"model", "input", "task", "encoding_format", "use_activation"}},
      {"/v2/embed", {"model", "texts", "input_type", "embedding_types", "truncate", "output_dimension", "partial"}},
      {"/api/embed", {"model", "input", "truncate", "dimensions", "partial"}},
      {"/api/embeddings", {"model", "prompt", "truncate"}},
  };
  for (const auto& [path, fields] : read) {
    json body;
    for (const std::string& field : fields) body[field] = 1;
    EXPECT_EQ(server::ignored_fields(route_at(path), body), "") << path;
  }
}

}  // namespace
}  // namespace bert::test
