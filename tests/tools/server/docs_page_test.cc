#include "tools/server/docs_page.h"

#include <gtest/gtest.h>

#include <regex>

#include "tests/tools/server/test_service.h"

namespace bert::test {
namespace {

TEST(DocsPage, NamesFilesThatAreServedOrSaysWhatIsMissing) {
  TestService service;
  const server::HttpResponse page = service.get("/docs");
  if (page.status == 501) {
    EXPECT_NE(page.body.find("BERT_INFER_SWAGGER_UI"), std::string::npos) << page.body;
    EXPECT_NE(page.body.find("/api-doc/openapi.json"), std::string::npos) << page.body;
    GTEST_SKIP() << "SKIPPED: this build has no swagger-ui-dist (BERT_INFER_SWAGGER_UI)";
  }
  ASSERT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  const std::regex reference("(?:href|src)=\"(docs/[^\"]+)\"");
  size_t files = 0;
  for (std::sregex_iterator match(page.body.begin(), page.body.end(), reference), end; match != end; ++match, ++files) {
    const server::HttpResponse file = service.get("/" + (*match)[1].str());
    EXPECT_EQ(file.status, 200) << (*match)[1];
    EXPECT_FALSE(file.body.empty()) << (*match)[1];
  }
  EXPECT_EQ(files, 3u);
  EXPECT_EQ(service.get("/docs/LICENSE").status, 200);
  EXPECT_EQ(service.get("/docs/nothing").status, 404);
  EXPECT_EQ(service.get("/docs/../docs_page.h").status, 404);
}

}  // namespace
}  // namespace bert::test
