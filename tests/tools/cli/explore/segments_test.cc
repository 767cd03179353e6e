// The command segments, compared with encode on the same tokens with other type ids.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/test_data.h"
#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

TEST(Segments, AgreesWithEncodeOnOtherTypeIds) {
  const ProgramResult result = run_program({"segments", "--format", "json", "a dog", "a cat"});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json object = result.json();
  const nlohmann::json ids = object["ids"];
  EXPECT_EQ(object["type_ids"], nlohmann::json({0, 0, 0, 0, 1, 1, 1}));
  const auto states = [&](const nlohmann::json& type_ids) {
    const nlohmann::json line = {{"ids", ids}, {"type_ids", type_ids}};
    return run_program({"encode", "--input", "-", "--jsonl", "--format", "json"},
                       {.standard_input = line.dump() + "\n"})
        .json()["last_hidden_state"];
  };
  const nlohmann::json own = states(object["type_ids"]);
  const std::vector<std::pair<const char*, nlohmann::json>> variants = {
      {"swapped", {1, 1, 1, 1, 0, 0, 0}}, {"all_a", {0, 0, 0, 0, 0, 0, 0}}, {"all_b", {1, 1, 1, 1, 1, 1, 1}}};
  for (const auto& [name, type_ids] : variants) {
    const nlohmann::json other = states(type_ids);
    for (size_t t = 0; t < 7; ++t) {
      double square = 0, step = 0;
      for (size_t c = 0; c < own[t].size(); ++c) {
        const double a = own[t][c], b = other[t][c];
        square += a * a;
        step += (b - a) * (b - a);
      }
      EXPECT_NEAR(object[name]["moved"][t], std::sqrt(step / square), 1e-6) << name << " " << t;
    }
    EXPECT_EQ(object[name]["moved_by_layer"].size(), 13u);
  }
}

TEST(Segments, NamesTheTextOfAnUnknownToken) {
  const TemporaryDirectory folder;
  const std::string page = (folder.path() / "page.html").string();
  const ProgramResult result = run_program({"segments", "--html", page, "a 東", "the 京"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("2  [UNK] 東  A "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("5  [UNK] 京  B "), std::string::npos) << result.out;
  EXPECT_NE(read_file(page).find(">[UNK] 東 A</text>"), std::string::npos);
  EXPECT_NE(read_file(page).find(">[UNK] 京 B</text>"), std::string::npos);
  EXPECT_EQ(run_program({"segments", "--format", "json", "a 東", "the 京"}).json()["tokens"][2], "[UNK]");
}

TEST(Segments, TakesTwoTexts) {
  EXPECT_EQ(run_program({"segments", "a"}).status, 2);
  EXPECT_EQ(run_program({"segments", "a", "b", "c"}).status, 2);
  EXPECT_EQ(run_program({"segments", "a dog", "a cat"}).status, 0);
}

}  // namespace
}  // namespace bert::test
