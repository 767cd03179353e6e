#include "program/server/routes/label_body.h"

#include <gtest/gtest.h>

#include "tests/program/server/test_service.h"
#include "tests/support/tiny_gliclass.h"

namespace bert::test {
namespace {

// Tests LabelBody through the two routes that use it, with the errors that both share.
TEST(LabelBody, HasLabelsAndTexts) {
  const TemporaryDirectory directory;
  write_tiny_gliclass(directory);
  TestService service({{"classes", directory.path().string()}});
  const auto error = [&](const nlohmann::json& body, int status) {
    const server::HttpResponse response = service.post("/v1/classify", body.dump());
    EXPECT_EQ(response.status, status) << response.body;
    return nlohmann::json::parse(response.body)["error"]["message"].get<std::string>();
  };
  EXPECT_NE(error({{"input", "a"}}, 400).find("'labels'"), std::string::npos);
  EXPECT_EQ(error({{"input", "a"}, {"labels", nlohmann::json::array()}}, 400),
            "'labels' is empty, expected at least one");
  EXPECT_NE(error({{"input", {5, 6}}, {"labels", {"b"}}}, 400).find("'input' has token ids, expected texts"),
            std::string::npos);
}

// The number of labels is limited because an answer may have a label for each word, and a forward pass has all labels
// for each text.
TEST(LabelBody, BoundsWhatLabelsMultiply) {
  const TemporaryDirectory directory;
  write_tiny_gliclass(directory);
  TestService service({{"classes", directory.path().string()}});
  const auto status = [&](size_t texts, size_t labels, size_t bytes, const std::string& message) {
    const nlohmann::json body = {{"input", std::vector<std::string>(texts, "a")},
                                 {"labels", std::vector<std::string>(labels, std::string(bytes, 'x'))}};
    const server::HttpResponse response = service.post("/v1/classify", body.dump());
    EXPECT_NE(response.body.find(message), std::string::npos) << response.body;
    return response.status;
  };
  EXPECT_EQ(status(1, 1, 4097, "labels[0] has 4097 bytes, expected at most 4096"), 413);
  EXPECT_EQ(status(1, 17, 4000, "'labels' has 68000 bytes, expected at most 65536"), 413);
  EXPECT_EQ(status(17, 1000, 1, "17 texts and 'labels' 1000 labels, expected a product of at most 16384"), 413);
  EXPECT_EQ(status(1, 2, 100, "\"classes\""), 200);
}

}  // namespace
}  // namespace bert::test
