// Checks that the files of packaging/ agree with the server.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "program/server/metrics.h"
#include "program/server/routes/routes.h"
#include "tests/support/build_tree.h"

namespace bert::test {
namespace {

std::string packaged(const std::string& name) {
  std::ifstream file(source_directory() + "/packaging/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.insert((*match)[1]);
  }
  return found;
}

TEST(Packaging, TheDashboardNamesMetricsThatExist) {
  server::Metrics metrics;
  metrics.set_model("a", "12", "float32", 4096, 0);
  metrics.request_failed("overloaded");
  const std::string text = metrics.text();
  const std::string dashboard = packaged("grafana/bert-infer.json");
  std::string expressions;
  const nlohmann::json parsed = nlohmann::json::parse(dashboard);
  for (const auto& panel : parsed.at("panels")) {
    for (const auto& target : panel.at("targets")) expressions += target.at("expr").get<std::string>() + "\n";
  }
  const std::set<std::string> names = matches(expressions, std::regex(R"(\b((te|bert)_\w+))"));
  EXPECT_GE(names.size(), 10u);
  for (std::smatch match; std::string name : names) {
    EXPECT_TRUE(std::regex_search(text, match, std::regex("(^|\n)" + name + "[ {]"))) << name << "\n" << text;
  }
}

TEST(Packaging, TheProbesAskForRoutesThatExist) {
  const std::set<std::string> paths =
      matches(packaged("kubernetes/bert-infer.yaml"), std::regex(R"(httpGet: \{path: ([^,]+),)"));
  EXPECT_EQ(paths, (std::set<std::string>{"/health", "/ready"}));
  for (const std::string& path : paths) EXPECT_NE(server::match_route("GET", path).route, nullptr) << path;
}

}  // namespace
}  // namespace bert::test
