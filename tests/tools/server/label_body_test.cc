#include "tools/server/label_body.h"

#include <gtest/gtest.h>

#include "tests/support/tiny_gliclass.h"
#include "tests/tools/server/test_service.h"

namespace bert::test {
namespace {

// By the routes that use it; the errors that both share.
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
  const std::vector<std::string> long_labels(200, std::string(4000, 'x')), texts(100, "a");
  EXPECT_NE(error({{"input", texts}, {"labels", long_labels}}, 413).find("the labels 800000"), std::string::npos);
}

}  // namespace
}  // namespace bert::test
