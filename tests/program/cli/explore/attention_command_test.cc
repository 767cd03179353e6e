// Compares the command attention with the attentions that encode writes.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

TEST(Attention, HasTheWeightsThatEncodeWritesAndTheirSummaries) {
  const std::string text = "The quick brown fox";
  const ProgramResult result = run_program({"attention", "--format", "json", text});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json object = result.json();
  EXPECT_EQ(object["attentions"],
            run_program({"encode", "--format", "json", "--attentions", text}).json()["attentions"]);
  EXPECT_NEAR(object["max_entropy"], std::log2(static_cast<double>(object["tokens"].size())), 1e-12);
  for (const char* name : {"entropy", "self", "previous", "next", "special"}) {
    ASSERT_EQ(object[name].size(), 12u) << name;
    EXPECT_EQ(object[name][11].size(), 5u) << name;
  }
}

// Entries are not compressed, so the file contains the weights' bytes. npz_test.cc tests the format.
TEST(Attention, WritesTheWeightsAsArrays) {
  const std::string npz = run_program({"attention", "--format", "npz", "a dog"}).out;
  const nlohmann::json object = run_program({"attention", "--format", "json", "a dog"}).json();
  for (const char* name : {"tokens", "entropy", "self", "previous", "next", "special", "attentions"}) {
    EXPECT_NE(npz.find(std::string(name) + ".npy"), std::string::npos) << name;
  }
  EXPECT_NE(npz.find("'descr': '<f4', 'fortran_order': False, 'shape': (12, 5, 4, 4), }"), std::string::npos);
  std::string row;
  for (const float weight : object["attentions"][11][4][3].get<std::vector<float>>()) {
    row.append(reinterpret_cast<const char*>(&weight), sizeof(weight));
  }
  EXPECT_NE(npz.find(row), std::string::npos);
}

TEST(Attention, CountsLayersAndHeadsFromOne) {
  const std::vector<std::string> lines = lines_of(run_program({"attention", "a dog"}).out);
  EXPECT_TRUE(lines[1].starts_with("    1     1 ")) << lines[1];
  EXPECT_TRUE(lines[60].starts_with("   12     5 ")) << lines[60];
}

TEST(Attention, PrintsALineForEachHead) {
  const ProgramResult result = run_program({"attention", "a dog"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(lines_of(result.out).size(), 1u + 12 * 5 + 2);  // a title, the built-in model's heads, and a sentence
}

TEST(Attention, SaysWhichLayersSeeAWindow) {
  BERT_TEST_DATA_OR_SKIP(data, "family_modern/modernbert");
  const TemporaryDirectory folder;
  const std::string model = with_word_tokenizer(folder, data), text = "the dog bit the man in the park";
  const nlohmann::json object = run_program({"attention", "--model", model, "--format", "json", text}).json();
  ASSERT_EQ(object["tokens"].size(), 10u);
  EXPECT_EQ(object["window"], 5);
  EXPECT_LT(object["max_local_entropy"], object["max_entropy"]);
  EXPECT_NE(run_program({"attention", "--model", model, text})
                .out.find("in layers 2 and 3, where a token sees those at most 5 places away"),
            std::string::npos);
  const nlohmann::json few = run_program({"attention", "--model", model, "--format", "json", "the dog"}).json();
  EXPECT_FALSE(few.contains("window"));
}

// Returns "a dog " fifty times, which has 102 tokens.
std::string long_text() {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "a dog ";
  return text;
}

TEST(Attention, HasSomeRowsOfTheWholeText) {
  const std::string text = "a dog and a cat";
  const nlohmann::json all = run_program({"attention", "--format", "json", text}).json();
  const ProgramResult result = run_program({"attention", "--format", "json", "--rows", "4-5,1", text});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json some = result.json();
  EXPECT_EQ(some["rows"], nlohmann::json({1, 4, 5}));
  EXPECT_FALSE(all.contains("rows"));
  EXPECT_EQ(some["tokens"], all["tokens"]);
  const nlohmann::json &of_some = some["attentions"][11][4], &of_all = all["attentions"][11][4];
  EXPECT_EQ(of_some, nlohmann::json({of_all[1], of_all[4], of_all[5]}));
  const std::string npz = run_program({"attention", "--format", "npz", "--rows", "4-5,1", text}).out;
  EXPECT_NE(npz.find("rows.npy"), std::string::npos);
  EXPECT_NE(npz.find("'shape': (12, 5, 3, 7), }"), std::string::npos);
}

TEST(Attention, DrawsSomeRowsOfALongText) {
  const TemporaryDirectory folder;
  const std::string page = (folder.path() / "page.html").string(), svg = (folder.path() / "head.svg").string();
  const ProgramResult refused = run_program({"attention", "--html", page, long_text()});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("--html draws at most 64 tokens, the text has 102 (--rows chooses some of them, "
                             "--max-length truncates the text)"),
            std::string::npos)
      << refused.err;
  const ProgramResult drawn = run_program({"attention", "--html", page, "--svg", svg, "--rows", "40-101", long_text()});
  ASSERT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_NE(drawn.out.find("The queries are tokens 40 to 101, the keys all 102 tokens."), std::string::npos);
  const std::string html = read_file(page);
  EXPECT_NE(html.find("The whole text of 102 tokens was computed."), std::string::npos);
  EXPECT_NE(html.find("101 [SEP] → 40 "), std::string::npos);
  EXPECT_TRUE(read_file(svg).starts_with("<svg"));
}

TEST(Attention, RefusesRowsThatAreNone) {
  const auto error_of = [](const std::string& rows, int status) {
    const ProgramResult result = run_program({"attention", "--rows", rows, "a dog"});
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  const auto expect = [&](const std::string& rows, const std::string& problem) {
    const std::string error = error_of(rows, 2);
    EXPECT_NE(error.find("--rows '" + rows + "': " + problem), std::string::npos) << error;
  };
  expect("3-1", "found '3-1', expected FIRST-LAST with FIRST at most LAST");
  for (const char* wrong : {"x", "1-", "-1", "1-2-3", "1 2"}) {
    expect(wrong, "found '" + std::string(wrong) + "', expected N or FIRST-LAST, whole numbers, with commas between");
  }
  expect("1,,2", "found '', expected N or FIRST-LAST, whole numbers, with commas between");
  expect("0-2,1", "found 1 twice, expected each once");
  expect("0-64", "more than 64 numbers, expected at most 64");
  expect("0-18446744073709551615", "more than 64 numbers, expected at most 64");
  EXPECT_NE(error_of("2-4", 1).find("--rows: found token 4, expected tokens from 0 to 3: the text has 4"),
            std::string::npos);
}

TEST(Attention, TakesOneText) { EXPECT_EQ(run_program({"attention", "a", "b"}).status, 2); }

}  // namespace
}  // namespace bert::test
