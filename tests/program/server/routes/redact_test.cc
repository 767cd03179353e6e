// Tests /v1/redact.
#include <gtest/gtest.h>

#include "tests/program/server/test_service.h"
#include "tests/support/firing_models.h"

namespace bert::test {
namespace {

using nlohmann::json;

class RedactRoute : public ::testing::Test {
 protected:
  RedactRoute() {
    write_firing_tagger(tagger_, {{"fox", "B-NAME"}});
    write_firing_gliner(gliner_);
    options_.api.redact_expressions = {{"EMAIL", R"([\w.]+@[\w.]+)"}};
    options_.api.redact_key = "0123456789abcdef";
  }
  TestService service() const {
    return TestService({{"tagger", tagger_.path().string()}, {"gliner", gliner_.path().string()}}, options_);
  }

  TemporaryDirectory tagger_, gliner_;
  server::ServiceOptions options_;
};

TEST_F(RedactRoute, GivesEachTextsParts) {
  TestService service = this->service();
  const json answer =
      service.json("/v1/redact", {{"model", "tagger"}, {"input", {"é a fox, b@c.org; dog", "fox", ""}}});
  ASSERT_EQ(answer["data"].size(), 3u);
  EXPECT_EQ(answer["data"][0]["text"], "é a <NAME>, <EMAIL>; dog");
  ASSERT_EQ(answer["data"][0]["replaced"].size(), 2u);
  EXPECT_EQ(answer["data"][0]["replaced"][1]["label"], "EMAIL");
  EXPECT_EQ(answer["data"][0]["replaced"][1]["code_point_start"], 9);
  EXPECT_EQ(answer["data"][1]["text"], "<NAME>");
  EXPECT_EQ(answer["data"][2]["text"], "");
  const json labelled = service.json(
      "/v1/redact", {{"model", "gliner"}, {"input", "the brown fox"}, {"labels", {"coding"}}, {"replace", "{hash}"}});
  EXPECT_EQ(labelled["data"][0]["text"].get<std::string>().size(), 36u);
  const json masked =
      service.json("/v1/redact", {{"model", "tagger"}, {"input", "a fox"}, {"only", {"OTHER"}}, {"mask", "#"}});
  EXPECT_EQ(masked["data"][0]["text"], "a fox");
}

TEST_F(RedactRoute, RefusesAndSaysNothingOfTheText) {
  TestService service = this->service();
  const auto error = [&](const json& body, int status) {
    const server::HttpResponse response = service.post("/v1/redact", body.dump());
    EXPECT_EQ(response.status, status) << response.body;
    EXPECT_EQ(response.body.find("secret"), std::string::npos);
    return json::parse(response.body)["error"]["message"].get<std::string>();
  };
  EXPECT_NE(error({{"model", "tagger"}, {"input", "secret"}, {"labels", {"name"}}}, 400).find("does not read labels"),
            std::string::npos);
  EXPECT_NE(error({{"model", "tagger"}, {"input", "secret"}, {"replace", "{x}"}}, 400).find("expected {label}"),
            std::string::npos);
  EXPECT_NE(error({{"model", "tagger"}, {"input", "secret"}, {"replace", "x"}, {"mask", "y"}}, 400).find("'mask'"),
            std::string::npos);
  EXPECT_NE(error({{"model", "gliner"}, {"input", "secret"}}, 400).find("'labels'"), std::string::npos);
  EXPECT_NE(error({{"model", "tagger"}, {"input", "secret"}, {"long_text", "cut"}}, 400).find("windows, error"),
            std::string::npos);
  EXPECT_NE(error({{"model", "tagger"}, {"input", "secret"}, {"truncate", true}}, 400).find("nothing of a text is cut"),
            std::string::npos);
  std::string words = "a";
  for (int i = 0; i < 100; ++i) words += " fox";
  EXPECT_EQ(error({{"model", "tagger"}, {"input", words}, {"stride", 500}}, 400),
            "text 0: stride 500: windows of max_length 24 hold 22 tokens of text, expected a stride less than that");
  // A word that is too long for a window cannot be read, so the text is refused.
  std::string word = "secret";
  for (int i = 0; i < 100; ++i) word += "-dog";
  EXPECT_EQ(error({{"model", "gliner"}, {"input", word}, {"labels", {"dog"}}}, 400), "text 0: the text cannot be read");
}

// Each of 20 texts takes two thirds of the steps that one text may take.
TEST_F(RedactRoute, SlowSearchesOfARequestHaveOneBudget) {
  TestService service = this->service();
  const std::vector<std::string> texts(20, std::string(8'000, 'a') + "@");
  const json answer = service.json("/v1/redact", {{"model", "tagger"}, {"input", texts}});
  EXPECT_TRUE(answer["data"][0].contains("text"));
  EXPECT_EQ(answer["data"][19]["error"], "the search for expressions takes too long in the texts of the request");
}

// Each of 20,000 digits becomes ten digests of 32 bytes.
TEST_F(RedactRoute, CountsWhatMatchesBecomeBeforeItIsMade) {
  options_.api.redact_expressions = {{"DIGIT", "[0-9]"}};
  options_.queue.max_answer_bytes = 10'000'000;
  TestService service = this->service();
  std::string replacement;
  for (int i = 0; i < 10; ++i) replacement += "{hash}";
  const auto redacted = [&](size_t digits, const std::string& replace) {
    const json body = {{"model", "tagger"}, {"input", std::string(digits, '7')}, {"replace", replace}};
    return service.post("/v1/redact", body.dump());
  };
  EXPECT_EQ(redacted(1'000, replacement).status, 200);
  EXPECT_EQ(redacted(20'000, replacement).status, 413);
  EXPECT_EQ(
      redacted(20'000, replacement).body.find("{\"error\":{\"message\":\"the answer needs more than 8750000 bytes"),
      0u);
  EXPECT_EQ(redacted(200'000, "").status, 413);  // there are 200,000 matches
}

// The searches would take a quarter of a minute on a fast machine, much longer than the answer may take.
TEST_F(RedactRoute, EndsWhenTheClientLeaves) {
  options_.api.redact_expressions.assign(30, {"EMAIL", R"([\w.]+@[\w.]+)"});
  TestService service = this->service();
  const json body = {{"model", "tagger"}, {"input", std::string(200'000, 'a') + "@"}};
  const auto exchange =
      std::make_shared<TestExchange>(server::HttpRequest{.method = "POST", .path = "/v1/redact", .body = body.dump()});
  std::future<server::HttpResponse> answer = exchange->answer();
  service.service().handle(exchange);
  service.service().caught_up();
  // Waits until the text is being computed.
  while (service.get("/metrics").body.find("te_queue_size 0\n") == std::string::npos) {
    ASSERT_EQ(answer.wait_for(std::chrono::milliseconds(10)), std::future_status::timeout);
  }
  ASSERT_EQ(answer.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
  exchange->abandon();
  EXPECT_EQ(answer.wait_for(std::chrono::seconds(5)), std::future_status::ready);
}

}  // namespace
}  // namespace bert::test
