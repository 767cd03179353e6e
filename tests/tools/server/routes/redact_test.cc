// /v1/redact.
#include <gtest/gtest.h>

#include "bert/redact.h"
#include "tests/support/firing_models.h"
#include "tests/tools/server/test_service.h"

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

TEST_F(RedactRoute, GivesTheLibrarysTexts) {
  TestService service = this->service();
  std::string text = "é a fox, b@c.org; ";
  for (int i = 0; i < 300; ++i) text += "the lazy dog " + std::string(i % 7 == 0 ? "fox " : "");
  const json answer = service.json("/v1/redact", {{"model", "tagger"}, {"input", {text, "fox", ""}}});
  const Redactor redactor({.expressions = options_.api.redact_expressions});
  const RedactedText expected = redact(service.model("tagger"), text, redactor);
  ASSERT_EQ(answer["data"].size(), 3u);
  EXPECT_EQ(answer["data"][0]["text"], expected.text);
  ASSERT_EQ(answer["data"][0]["replaced"].size(), expected.replaced.size());
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
  // A word that no window has room for is not read, so that nothing is passed on.
  std::string word = "secret";
  for (int i = 0; i < 100; ++i) word += "-dog";
  EXPECT_EQ(error({{"model", "gliner"}, {"input", word}, {"labels", {"dog"}}}, 400), "text 0: the text cannot be read");
}

}  // namespace
}  // namespace bert::test
