#include "program/fetch/hub_settings.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"

namespace bert::fetch {
namespace {

using test::error_of;
using Variables = std::map<std::string, std::string>;

HubSettings settings_of(Variables variables) {
  variables.try_emplace("HOME", "/nonexistent");
  return hub_settings([&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(HubSettings, AreTheHubsOwnWhereNothingIsSaid) {
  const HubSettings settings = settings_of({});
  EXPECT_EQ(settings.endpoint.text, "https://huggingface.co");
  EXPECT_EQ(settings.token, "");
  EXPECT_EQ(settings.certificates, "");
  EXPECT_EQ(settings.timeout_seconds, 10u);
  EXPECT_EQ(settings.cache, "/nonexistent/.cache/huggingface/hub");
  EXPECT_FALSE(settings.is_offline);
}

TEST(HubSettings, TakeTheVariablesOfTheHubsOwnTool) {
  const HubSettings settings = settings_of({{"HF_ENDPOINT", "https://mirror.example/hub/"},
                                            {"HF_TOKEN", " hf_x\n"},
                                            {"HF_HUB_DOWNLOAD_TIMEOUT", "60"},
                                            {"REQUESTS_CA_BUNDLE", "/certificates"},
                                            {"HF_HUB_OFFLINE", "Yes"}});
  EXPECT_EQ(settings.endpoint.text, "https://mirror.example/hub");
  EXPECT_EQ(settings.token, "hf_x");
  EXPECT_EQ(settings.timeout_seconds, 60u);
  EXPECT_EQ(settings.certificates, "/certificates");
  EXPECT_TRUE(settings.is_offline);
  EXPECT_FALSE(settings_of({{"HF_HUB_OFFLINE", "0"}}).is_offline);
}

TEST(HubSettings, ReadTheTokenFromTheFirstFileThatIsNamed) {
  const test::TemporaryDirectory folder;
  folder.write("named", "hf_named\n");
  folder.write("home/token", "hf_home");
  folder.write("user/.cache/huggingface/token", "hf_user\n");
  const std::string path = folder.path().string();
  Variables variables = {{"HOME", path + "/user"}, {"HF_HUB_CACHE", "/elsewhere"}};
  EXPECT_EQ(settings_of(variables).token, "hf_user");
  variables["HF_HOME"] = path + "/home";
  EXPECT_EQ(settings_of(variables).token, "hf_home");
  variables["HF_TOKEN_PATH"] = path + "/named";
  EXPECT_EQ(settings_of(variables).token, "hf_named");
  variables["HF_TOKEN"] = "hf_itself";
  EXPECT_EQ(settings_of(variables).token, "hf_itself");
}

TEST(HubSettings, RefuseATokenThatOthersCouldRead) {
  EXPECT_EQ(error_of([] {
              settings_of({{"HF_TOKEN", "hf_x"}, {"HF_ENDPOINT", "http://mirror.example"}});
            }),
            "the token of HF_TOKEN is not sent to 'http://mirror.example', expected https");
  EXPECT_EQ(settings_of({{"HF_TOKEN", "hf_x"}, {"HF_ENDPOINT", "http://localhost:1"}}).token, "hf_x");
  EXPECT_EQ(error_of([] {
              settings_of({{"HF_TOKEN", "hf\nx"}});
            }),
            "the token of HF_TOKEN has a character that no token has");
}

TEST(HubSettings, RefuseVariablesThatAreNone) {
  EXPECT_EQ(error_of([] {
              settings_of({{"HF_ENDPOINT", "hub.example"}});
            }),
            "HF_ENDPOINT 'hub.example', expected an address such as https://huggingface.co");
  EXPECT_EQ(error_of([] {
              settings_of({{"HF_HUB_DOWNLOAD_TIMEOUT", "0"}});
            }),
            "HF_HUB_DOWNLOAD_TIMEOUT '0', expected a number of seconds from 1 to 86400");
  EXPECT_EQ(error_of([] { settings_of({{"HOME", ""}}); }), "no cache to fetch into: set HF_HUB_CACHE, HF_HOME or HOME");
}

}  // namespace
}  // namespace bert::fetch
