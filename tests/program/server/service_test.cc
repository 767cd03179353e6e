// Tests features of all routes: the choice of a model, keys, limits, errors, and counts in the answer.
#include "program/server/service.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "bert/quantize.h"
#include "tests/program/server/test_service.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

using nlohmann::json;
using server::HttpResponse;

const char* const kText = R"({"inputs": "a dog"})";

TEST(Service, AnswersWithThePathsAndMethodsOfItsTable) {
  TestService service;
  EXPECT_EQ(service.get("/nothing").status, 404);
  const HttpResponse wrong = service.get("/embed");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(field_of(wrong, "Allow"), "POST");
  EXPECT_EQ(service.get("/health").status, 200);
  EXPECT_EQ(service.get("/ready").status, 200);
  service.service().set_draining();
  EXPECT_EQ(service.get("/ready").status, 503);
  EXPECT_EQ(service.get("/health").status, 200);
}

TEST(Service, FindsAModelByNameInTheBodyOrThePath) {
  TestService service({{"one", ""}, {"org/two", ""}});
  EXPECT_EQ(service.json("/v1/embeddings", {{"model", "org/two"}, {"input", "a"}})["model"], "org/two");
  EXPECT_EQ(service.json("/v1/embeddings", {{"input", "a"}})["model"], "one");
  EXPECT_EQ(service.json("/models/org/two/v1/embeddings", {{"input", "a"}})["model"], "org/two");
  EXPECT_EQ(field_of(service.post("/models/org/two/embed", kText), "x-model"), "org/two");
  const HttpResponse unknown = service.post("/v1/embeddings", R"({"model": "three", "input": "a"})");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(json::parse(unknown.body)["error"]["code"], "model_not_found");
  EXPECT_EQ(service.post("/models/three/embed", kText).status, 404);
}

TEST(Service, TakesAnyModelNameWhereOneModelIsServedAndOtherwiseWhereAsked) {
  const json body = {{"model", "text-embedding-3-small"}, {"input", "a"}};
  TestService alone({server::NamedDirectory{"one", ""}});
  EXPECT_EQ(alone.json("/v1/embeddings", body)["model"], "one") << "the answer says by which";
  EXPECT_EQ(field_of(alone.post("/v1/embeddings", body.dump()), "x-model"), "one");
  EXPECT_EQ(alone.post("/models/three/embed", kText).status, 404) << "a path names a model";

  server::ServiceOptions options;
  options.api.strict_model_names = true;
  TestService strict({{"one", ""}}, options);
  EXPECT_EQ(strict.post("/v1/embeddings", body.dump()).status, 404);

  options.api.strict_model_names = false;
  options.api.any_model_name = true;
  TestService two({{"one", ""}, {"two", ""}}, options);
  EXPECT_EQ(two.json("/v1/embeddings", body)["model"], "one");
}

// Writes a model whose vectors of texts with "fox" are not finite.
void write_model_with_a_broken_word(const TemporaryDirectory& directory) {
  write_tiny_model(directory, {}, [](TinyTensors& tensors) {
    tensors["embeddings.word_embeddings.weight"].values[8 * TinyModel().hidden] = NAN;
  });
}

TEST(Service, APartialAnswerHasNullForATextThatFails) {
  const TemporaryDirectory directory;
  write_model_with_a_broken_word(directory);
  TestService service({{"m", directory.path().string()}});
  const json texts = {"the dog", "the fox", "quick"};
  const auto has_null = [](const json& list, const std::string& member = "") {
    std::vector<bool> nulls;
    for (const json& one : list) nulls.push_back((member.empty() ? one : one[member]).is_null());
    return nulls == std::vector<bool>{false, true, false};
  };
  const json whole = {{"input", texts}};
  const HttpResponse refused = service.post("/v1/embeddings", whole.dump());
  EXPECT_EQ(refused.status, 500);
  EXPECT_NE(refused.body.find("text 1: "), std::string::npos) << refused.body;

  const json openai = service.json("/v1/embeddings", {{"input", texts}, {"partial", true}});
  EXPECT_TRUE(has_null(openai["data"], "embedding"));
  ASSERT_EQ(openai["errors"].size(), 1u);
  EXPECT_EQ(openai["errors"][0]["index"], 1);
  EXPECT_NE(openai["errors"][0]["message"].get<std::string>().find("text 1: "), std::string::npos);
  const json alone = service.json("/v1/embeddings", {{"input", "quick"}});
  EXPECT_EQ(openai["data"][2]["embedding"], alone["data"][0]["embedding"]);

  const HttpResponse tei = service.post("/embed", json({{"inputs", texts}, {"partial", true}}).dump());
  EXPECT_TRUE(has_null(json::parse(tei.body)));
  EXPECT_EQ(field_of(tei, "x-failed-texts"), "1");
  EXPECT_TRUE(has_null(service.json("/embed_all", {{"inputs", texts}, {"partial", true}})));
  EXPECT_TRUE(has_null(service.json("/api/embed", {{"input", texts}, {"partial", true}})["embeddings"]));
  const json cohere = service.json("/v2/embed", {{"texts", texts}, {"partial", true}});
  EXPECT_TRUE(has_null(cohere["embeddings"]["float"]));

  EXPECT_EQ(service.post("/v1/embeddings", R"({"input": ["fox"], "partial": true})").status, 500) << "nothing is left";
  const HttpResponse unsupported =
      service.post("/v1/rerank", json({{"query", "the"}, {"documents", texts}, {"partial", true}}).dump());
  EXPECT_EQ(unsupported.status, 422);
  EXPECT_NE(unsupported.body.find("'partial' is not supported by this route"), std::string::npos) << unsupported.body;
}

TEST(Service, NeedsAKeyExceptForHealthAndMetrics) {
  TestService service({{"built-in", ""}}, {}, "secret");
  EXPECT_EQ(service.post("/embed", kText).status, 401);
  EXPECT_EQ(service.post("/embed", kText, {{"authorization", "Bearer other"}}).status, 401);
  EXPECT_EQ(service.post("/embed", kText, {{"authorization", "Bearer secret"}}).status, 200);
  EXPECT_EQ(json::parse(service.post("/v1/embeddings", "{}").body)["error"]["code"], "invalid_api_key");
  for (const char* open : {"/health", "/ready", "/metrics"}) EXPECT_EQ(service.get(open).status, 200) << open;
}

TEST(Service, RefusesCompressedRequests) {
  TestService service;
  EXPECT_EQ(service.post("/embed", kText, {{"content-encoding", "gzip"}}).status, 415);
}

TEST(Service, LeavesABodyThatIsTooLargeToTheSession) {
  TestService service;
  EXPECT_FALSE(
      service.service().refuse({.method = "POST", .path = "/embed", .fields = {{"content-length", "99999999"}}}));
}

TEST(Service, AnswersAFullQueueWith429AndWhatNeverFitsWithTheNumber) {
  server::ServiceOptions options;
  options.queue = {
      .threads = 0, .batch_tokens = 512, .max_texts = 2, .max_bytes = 100};  // nothing is taken from the queue
  TestService service({{"built-in", ""}}, options);
  const HttpResponse many = service.post("/embed", R"({"inputs": ["a", "b", "c"]})");
  EXPECT_EQ(many.status, 422);
  EXPECT_EQ(json::parse(many.body)["error"], "'inputs' has 3 texts, expected at most 2");
  const HttpResponse large = service.post("/embed", R"({"inputs": "a"})", {{"content-length", "101"}});
  EXPECT_EQ(large.status, 413);
  EXPECT_EQ(json::parse(large.body)["error"], "the request has 101 bytes of texts, expected at most 100");
  const auto waiting = std::make_shared<TestExchange>(
      server::HttpRequest{.method = "POST", .path = "/embed", .body = R"({"inputs": ["a", "b"]})"});
  service.service().handle(waiting);
  const HttpResponse full = service.post("/embed", R"({"inputs": "c"})");
  EXPECT_EQ(full.status, 429);
  EXPECT_EQ(json::parse(full.body)["error_type"], "Overloaded");
  EXPECT_EQ(field_of(full, "Retry-After"), "1");
}

TEST(Service, ReportsTokensCutTokensModelAndTimes) {
  BERT_MINILM_OR_SKIP(folder);
  TestService service({{"minilm", folder.string()}});
  std::string text;
  for (int i = 0; i < 300; ++i) text += "a ";
  const HttpResponse response = service.post("/embed", json({{"inputs", text}, {"truncate", true}}).dump());
  ASSERT_EQ(response.status, 200);
  EXPECT_EQ(field_of(response, "x-compute-tokens"), "256");
  EXPECT_EQ(field_of(response, "x-truncated-tokens"), "46");  // 254 of 300 fit beside the special tokens
  EXPECT_EQ(field_of(response, "x-compute-characters"), "600");
  EXPECT_EQ(field_of(response, "x-model-precision"), "float32");
  EXPECT_EQ(field_of(response, "x-model-sha256").size(), 64u);
  const json compute = service.json("/v1/embeddings", {{"input", text}, {"truncate", true}})["compute"];
  EXPECT_EQ(compute["tokens"], 256);
  EXPECT_EQ(compute["truncated_tokens"], 46);
  EXPECT_EQ(compute["sha256"], field_of(response, "x-model-sha256"));
  const HttpResponse refused = service.post("/embed", json({{"inputs", {"a", text}}}).dump());
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(json::parse(refused.body)["error"], "text 1: 302 tokens, expected at most 256");
}

// The texts have three and four tokens, each with one coarse row.
TEST(Service, CountsRowsThatEightBitsHardlyHold) {
  const TemporaryDirectory folder, results;
  write_tiny_coarse_model(folder);
  const std::string small = (results.path() / "int8").string();
  quantize(folder.path().string(), small, SmallWeights::kInt8);
  TestService service({{"floats", folder.path().string()}, {"int8", small}});
  const auto counted = [&] { return service.get("/metrics").body; };
  EXPECT_FALSE(service.json("/v1/embeddings", {{"model", "floats"}, {"input", "the"}}).is_null());
  EXPECT_NE(counted().find("\nbert_coarse_rows_total 0\n"), std::string::npos);
  EXPECT_FALSE(service.json("/v1/embeddings", {{"model", "int8"}, {"input", {"the", "a dog"}}}).is_null());
  EXPECT_NE(counted().find("\nbert_coarse_rows_total 7\n"), std::string::npos);
}

TEST(Service, ReadsALargeBodyOnAnotherThreadWithTheSameAnswer) {
  TestService service;
  const HttpResponse small = service.post("/embed", R"({"inputs": "a text"})");
  const HttpResponse large = service.post("/embed", R"({"inputs": "a text")" + std::string(100'000, ' ') + "}");
  EXPECT_EQ(large.status, 200);
  EXPECT_EQ(large.body, small.body);
  EXPECT_EQ(service.post("/embed", std::string(100'000, ' ') + "[").status, 400);
}

// Large bodies are parsed one after another. If the client has left meanwhile, the body is not parsed, so no error is
// found in it.
TEST(Service, DropsLargeBodiesOfClientsThatLeft) {
  TestService service;
  std::string slow = R"({"inputs": "a", "more": [0)";
  for (int i = 0; i < 900'000; ++i) slow += ",0";
  std::vector<std::shared_ptr<TestExchange>> exchanges;
  for (int i = 0; i < 10; ++i) {
    const std::string body = i == 0 ? slow + "]}" : slow;
    exchanges.push_back(
        std::make_shared<TestExchange>(server::HttpRequest{.method = "POST", .path = "/embed", .body = body}));
  }
  for (const auto& exchange : exchanges) {
    service.service().handle(exchange);
    if (exchange != exchanges.front()) exchange->abandon();
  }
  EXPECT_EQ(service.post("/embed", R"({"inputs": "a text")" + std::string(100'000, ' ') + "}").status, 200);
  const std::string metrics = service.get("/metrics").body;
  EXPECT_NE(metrics.find("bert_abandoned_requests_total 9\n"), std::string::npos);
  size_t read = 0;
  if (const size_t at = metrics.find("te_request_failure{err=\"syntax\"} "); at != metrics.npos) {
    read = std::stoul(metrics.substr(at + 34));
  }
  EXPECT_LE(read, 2u);
}

TEST(Service, LogsOneLineARequestWithoutItsText) {
  std::vector<std::string> lines;
  std::mutex mutex;
  server::ServiceOptions options;
  options.log = [&](const std::string& line) {
    const std::lock_guard<std::mutex> lock(mutex);
    lines.push_back(line);
  };
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  {
    TestService service({{"built-in", ""}}, options);
    const HttpResponse response = service.post("/embed", R"({"inputs": "swordfish"})", {{"traceparent", trace}});
    EXPECT_EQ(field_of(response, "traceparent"), trace);
  }  // the log line is written after the answer
  ASSERT_EQ(lines.size(), 1u);
  const json line = json::parse(lines.front());
  EXPECT_EQ(line["status"], 200);
  EXPECT_EQ(line["texts"], 1);
  EXPECT_EQ(line["traceparent"], trace);
  EXPECT_EQ(lines.front().find("swordfish"), std::string::npos);
}

// The texts are not UTF-8 or not JSON. An answer may quote them; the log does not.
TEST(Service, LogsNoPartOfARefusedText) {
  std::string lines;
  server::ServiceOptions options;
  options.log = [&](const std::string& line) { lines += line; };
  TestService service({{"built-in", ""}}, options);
  for (const char* body :
       {"{\"inputs\": \"swordfish \xff\"}", "{\"inputs\": swordfish}", R"({"swordfish)",
        R"({"inputs": ["a"], "prompt_name": "swordfish"})", R"({"inputs": "a", "truncation_direction": "swordfish"})",
        R"({"inputs": [["swordfish"]]})"}) {
    EXPECT_EQ(service.post("/embed", body).status / 100, 4) << body;
  }
  EXPECT_EQ(lines.find("swordfish"), std::string::npos) << lines;
  EXPECT_NE(lines.find("\"error\":\""), std::string::npos);
}

TEST(Service, TellsClientsNoDirectory) {
  const TemporaryDirectory folder;
  write_tiny_model(folder);
  TestService service({{"tiny", folder.path().string()}});
  const HttpResponse unknown = service.post("/embed", R"({"inputs": "a", "prompt_name": "none"})");
  EXPECT_EQ(unknown.status, 422);
  EXPECT_EQ(unknown.body.find(folder.path().string()), std::string::npos) << unknown.body;
  EXPECT_NE(unknown.body.find("tiny"), std::string::npos) << unknown.body;
}

// The mapping shows the new bytes. Without the check the vectors would be wrong, with status 200 and the former digest.
TEST(Service, DoesNotServeAModelWhoseFileIsWritten) {
  const TemporaryDirectory folder;
  write_tiny_model(folder);
  TestService service({{"tiny", folder.path().string()}, {"other", ""}});
  const char* const text = R"({"inputs": "the fox"})";
  EXPECT_EQ(service.post("/embed", text).status, 200);
  EXPECT_EQ(service.get("/ready").status, 200);
  const auto file = folder.path() / "model.safetensors";
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(-4, std::ios::end).write("????", 4);
  std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + std::chrono::hours(1));
  for (int i = 0; i < 2; ++i) {
    const HttpResponse refused = service.post("/embed", text);
    EXPECT_EQ(refused.status, 503);
    EXPECT_NE(refused.body.find("model 'tiny' is not served until it is loaded again: "), std::string::npos);
    EXPECT_NE(refused.body.find("written while it was read"), std::string::npos) << refused.body;
    EXPECT_EQ(service.get("/ready").status, 503);
    EXPECT_EQ(service.post("/models/other/embed", text).status, 200);
  }
}

// Refused keys are logged and counted, so that the operator notices when somebody guesses keys.
TEST(Service, LogsAndCountsRefusals) {
  std::vector<json> lines;
  server::ServiceOptions options;
  options.log = [&](const std::string& line) { lines.push_back(json::parse(line)); };
  options.client_field = "X-Real-IP";
  options.queue = {.threads = 0, .batch_tokens = 512, .max_texts = 1, .max_bytes = 1'000'000};
  TestService service({{"built-in", ""}}, options, "secret");
  const auto refused = [&](int status, const std::string& reason, server::HttpRequest head) {
    head.client = "192.0.2.1";
    const auto response = service.service().refuse(head);
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, status);
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(lines.back()["status"], status);
    EXPECT_EQ(lines.back()["client"], head.fields.empty() ? "192.0.2.1" : "192.0.2.7");
    EXPECT_EQ(lines.back()["request_id"], field_of(*response, "x-request-id"));
    EXPECT_NE(service.get("/metrics").body.find("te_request_failure{err=\"" + reason + "\"} 1\n"), std::string::npos);
    lines.clear();
  };
  const server::HttpFields key = {{"authorization", "Bearer secret"}, {"x-real-ip", "192.0.2.7"}};
  const auto with = [&](const char* name, const char* value) {
    server::HttpFields fields = key;
    fields.emplace_back(name, value);
    return fields;
  };
  refused(404, "not_found", {.method = "GET", .path = "/nothing"});
  refused(405, "method", {.method = "GET", .path = "/embed"});
  refused(401, "unauthorized", {.method = "POST", .path = "/embed"});
  refused(415, "media_type", {.method = "POST", .path = "/embed", .fields = with("content-encoding", "gzip")});
  refused(413, "too_large", {.method = "POST", .path = "/embed", .fields = with("content-length", "99999999")});
  refused(421, "misdirected", {.method = "POST", .path = "/embed", .host = "a", .door = server::Door::kLoopback});
  const auto waiting = std::make_shared<TestExchange>(
      server::HttpRequest{.method = "POST", .path = "/embed", .fields = key, .body = kText});
  service.service().handle(waiting);
  refused(429, "overloaded", {.method = "POST", .path = "/embed", .fields = key});
  for (const int status : {400, 408, 413, 429, 431, 501, 503}) {
    const server::HttpResponse response = service.service().fault(status, {.client = "192.0.2.1"}, "why");
    EXPECT_EQ(field_of(response, "Retry-After"), status == 429 || status == 503 ? "1" : "");
    EXPECT_EQ(lines.back()["status"], status);
    EXPECT_EQ(lines.back()["client"], "192.0.2.1");
  }
  EXPECT_EQ(lines.size(), 7u);
}

TEST(Service, AllowsOnlyTheOriginsItIsGiven) {
  server::ServiceOptions options;
  options.cors_origins = {"https://a.example"};
  TestService service({{"built-in", ""}}, options);
  const auto allowed = [&](const std::string& origin) {
    const server::HttpFields fields = {{"origin", origin}, {"content-type", "application/json"}};
    return field_of(service.post("/embed", kText, fields), "Access-Control-Allow-Origin");
  };
  EXPECT_EQ(allowed("https://a.example"), "https://a.example");
  EXPECT_EQ(allowed("https://b.example"), "");
  EXPECT_EQ(service.ask({.method = "OPTIONS", .path = "/embed", .fields = {{"origin", "https://a.example"}}}).status,
            204);
  EXPECT_EQ(TestService().ask({.method = "OPTIONS", .path = "/embed"}).status, 405);
}

// A browser sends these types to any server without asking; curl sends the first one with -d.
TEST(Service, ReadsAnyTypeAsJsonButFromAWebPage) {
  TestService service;
  for (const char* type : {"application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=a", ""}) {
    EXPECT_EQ(service.post("/embed", kText, {{"content-type", type}}).status, 200) << type;
    EXPECT_EQ(service.post("/embed", kText, {{"content-type", type}, {"origin", "null"}}).status, 415) << type;
  }
  for (const char* type : {"application/json", "Application/JSON ; charset=utf-8"}) {
    EXPECT_EQ(service.post("/embed", kText, {{"content-type", type}, {"origin", "https://a.example"}}).status, 200);
  }
}

TEST(Service, AnErrorAnswersItsOwnRequestAlone) {
  TestService service;
  EXPECT_EQ(service.post("/embed", "{").status, 400);
  EXPECT_EQ(service.post("/embed", R"({"inputs": []})").status, 400);
  EXPECT_EQ(service.post("/embed", R"({"inputs": 3})").status, 422);
  EXPECT_EQ(service.post("/embed", kText).status, 200);
}

}  // namespace
}  // namespace bert::test
