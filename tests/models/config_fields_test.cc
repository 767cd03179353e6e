// Checks that the library ignores no field of the reference's configuration classes that affects results.
// config_fields.txt lists all fields.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bert/error.h"
#include "models/config/config.h"
#include "tests/support/build_tree.h"

namespace bert {
namespace {

// Returns the configuration, or nullopt if it is refused.
std::optional<ModelConfig> config_of(const nlohmann::json& fields) {
  try {
    return parse_config(fields.dump(), "config.json");
  } catch (const Error&) {
    return std::nullopt;
  }
}

TEST(ConfigFields, AreReadRefusedOrWithoutEffect) {
  std::ifstream file(test::source_directory() + "/tests/models/config_fields.txt");
  nlohmann::json base;
  size_t read = 0, without_effect = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const size_t first = line.find(' '), last = line.rfind(' ');
    const std::string name = line.substr(0, first);
    if (name == "=") {
      const size_t second = line.find(' ', first + 1);
      base = nlohmann::json::parse(line.substr(second + 1));
      base["model_type"] = line.substr(first + 1, second - first - 1);
      ASSERT_TRUE(config_of(base)) << line;
      continue;
    }
    nlohmann::json changed = base;
    changed[name] = nlohmann::json::parse(line.substr(first + 1, last - first - 1));
    const std::optional<ModelConfig> found = config_of(changed);
    const bool has_effect = !found || *found != *config_of(base);
    const bool is_read = line.substr(last + 1) == "read";
    EXPECT_EQ(has_effect, is_read) << base["model_type"] << ": " << line;
    ++(is_read ? read : without_effect);
  }
  EXPECT_GT(read, 200u);
  EXPECT_GT(without_effect, 200u);
}

}  // namespace
}  // namespace bert
