// Tests the command verify on golden vectors that the tests make. tests/tools/verify_test.py tests it on the
// converter's.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "bert/model.h"
#include "tests/models/families/expert_model.h"
#include "tests/models/families/privacy_model.h"
#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

using Json = nlohmann::json;

Json rows(const float* values, size_t count, size_t width) {
  Json result = Json::array();
  for (size_t i = 0; i < count; ++i) result.push_back(std::vector<float>(values + i * width, values + (i + 1) * width));
  return result;
}

// Returns golden vectors that pass, in the form of verify.json: the model's own outputs for the text.
Json golden_of(const Model& model, const std::string& text) {
  const EncodedText encoded = model.encode(text, {.hidden_states = true});
  Json first = Json::array();
  for (size_t layer = 0; layer <= model.config().num_hidden_layers; ++layer) {
    first.push_back(
        rows(encoded.hidden_states.data() + layer * encoded.last_hidden_state.size(), 1, encoded.hidden)[0]);
  }
  return {{"version", 1},
          {"limits", {{"hidden_states", 1e-6}, {"pooler_output", 1e-6}}},
          {"cases",
           {{{"text", text},
             {"ids", encoded.encoding.ids},
             {"type_ids", encoded.encoding.type_ids},
             {"last_hidden_state", rows(encoded.last_hidden_state.data(), encoded.tokens, encoded.hidden)},
             {"first_token_by_layer", first},
             {"pooler_output", encoded.pooler_output}}}}};
}

class VerifyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    BERT_TEST_DATA_OR_SKIP(data, "family/bert-odd-1");
    model_ = with_vocabulary(folder_, data);
    golden_ = golden_of(Model::load(model_), "a b");
  }

  ProgramResult run(const Json& golden, const std::string& format = "json") {
    write_file(folder_, "verify.json", golden.dump());
    return run_program({"verify", "--model", model_, "--format", format});
  }

  TemporaryDirectory folder_;
  std::string model_;
  Json golden_;
};

TEST_F(VerifyTest, PassesWhereNothingDiffers) {
  const ProgramResult result = run(golden_);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json()["passed"], true);
  EXPECT_EQ(result.json()["cases"][0]["hidden_states"], 0);
  EXPECT_EQ(result.json()["cases"][0]["same_ids"], true);
  EXPECT_NE(run(golden_, "text").out.find("All 1 passed.\n"), std::string::npos);
}

TEST_F(VerifyTest, TellsTheLayerThatIsTheFirstOverTheLimit) {
  Json& one = golden_["cases"][0];
  one["first_token_by_layer"][2][5] = one["first_token_by_layer"][2][5].get<double>() + 1e-5;
  const ProgramResult result = run(golden_);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.json()["passed"], false);
  EXPECT_EQ(result.json()["cases"][0]["first_layer_over_limit"], 2);
  EXPECT_NEAR(result.json()["cases"][0]["hidden_states"].get<double>(), 1e-5, 1e-9);
  const ProgramResult text = run(golden_, "text");
  EXPECT_EQ(text.status, 1);
  EXPECT_NE(text.out.find("failed from layer 2 on"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("1 of 1 failed.\n"), std::string::npos) << text.out;
}

TEST_F(VerifyTest, FailsForAnyRowThePooledOutputAndOtherIds) {
  Json other = golden_;
  other["cases"][0]["last_hidden_state"][2][35] = 9;
  EXPECT_EQ(run(other).status, 1);
  other = golden_;
  other["cases"][0]["pooler_output"][0] = 9;
  EXPECT_EQ(run(other).status, 1);
  other = golden_;
  other["cases"][0]["text"] = "b a";
  const ProgramResult result = run(other);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.json()["cases"][0]["same_ids"], false);
}

TEST_F(VerifyTest, RefusesWhatIsNoGoldenFileOfThisModelInOneLine) {
  const auto refused = [&](const Json& golden, const std::string& words) {
    const ProgramResult result = run(golden);
    EXPECT_EQ(result.status, 1) << words;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(lines_of(result.err).size(), 1u + (result.err.find("note: ") != std::string::npos ? 1u : 0u));
    EXPECT_NE(result.err.find("verify.json': not the golden vectors of this model"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  };
  const auto changed = [&](const char* pointer, const Json& value) {
    Json other = golden_;
    other[Json::json_pointer(pointer)] = value;
    return other;
  };
  refused(changed("/version", 2), "\"version\": found 2, expected 1");
  refused(changed("/cases", Json::array()), "no cases");
  refused(changed("/cases/0/ids", "x"), "case 1: \"ids\": found string, expected an array");
  refused(changed("/cases/0/last_hidden_state", {{1, 2}}), "\"last_hidden_state\": 1 rows, expected 4");
  refused(changed("/cases/0/pooler_output", {1, 2}), "\"pooler_output\": 2 numbers in a row, expected 36");
  Json no_pooler = golden_;
  no_pooler["cases"][0].erase("pooler_output");
  refused(no_pooler, "no pooled output, and the model has one");
  refused(Json::array(), "found array, expected an object");
  refused(changed("/cases/0/ids", {2.5}), "found number, expected an integer");
  refused(changed("/cases/0/ids", {5000000000}), "found 5000000000, expected an integer of 32 bits");
  refused(changed("/limits", Json::object()), "\"limits\": no \"hidden_states\"");
}

TEST_F(VerifyTest, RefusesAFileThatItCannotRead) {
  const auto refused = [&](const std::string& words) {
    const ProgramResult result = run_program({"verify", "--model", model_});
    EXPECT_EQ(result.status, 1) << words;
    EXPECT_EQ(result.err.find("json.exception"), std::string::npos) << result.err;
    EXPECT_NE(lines_of(result.err).back().find("verify.json': " + words), std::string::npos) << result.err;
  };
  const std::string path = write_file(folder_, "verify.json", "{\"version\": 1, \"version\": 1}");
  refused("not the golden vectors of this model (duplicate key \"version\")");
  write_file(folder_, "verify.json", "{\"version\": " + std::string(3000, '1') + "x");
  refused("not the golden vectors of this model (not valid JSON: ");
  std::filesystem::resize_file(path, size_t{300} * 1024 * 1024);
  refused("314,572,800 bytes, expected golden vectors of at most 268,435,456");
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  refused("not a regular file, expected golden vectors");
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  refused("not a regular file, expected golden vectors");
}

TEST_F(VerifyTest, NeedsAModelWithSuchAFile) {
  ProgramResult result = run_program({"verify", "--model", model_});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("no golden vectors"), std::string::npos) << result.err;
  result = run_program({"verify"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("verify needs --model DIR"), std::string::npos) << result.err;
  EXPECT_EQ(run_program({"verify", "--model", model_, "text"}).status, 2);
}

// verify accepts a directory that quantize wrote, and finds it near its source.
TEST(VerifyExperts, KnowsModelsThatWereQuantised) {
  const auto check = [](const TemporaryDirectory& source) {
    const TemporaryDirectory folder;
    for (const std::string type : {"", "--bfloat16"}) {
      const std::string result = (folder.path() / ("small" + type)).string();
      std::vector<std::string> command = {"quantize", "--model", source.path().string(), result};
      if (!type.empty()) command.push_back(type);
      ProgramResult ran = run_program(command);
      ASSERT_EQ(ran.status, 0) << ran.err;
      ran = run_program({"verify", "--model", result, "--format", "json"});
      EXPECT_EQ(ran.status, 0) << ran.err;
      EXPECT_EQ(ran.json()["passed"], true);
      ran = run_program({"verify", "--model", result, "--against", source.path().string(), "--format", "json"});
      EXPECT_EQ(ran.status, 0) << ran.err;
      EXPECT_GT(ran.json()["mean_cosine"].get<double>(), 0.9);
    }
  };
  const TemporaryDirectory nomic, privacy;
  ExpertModel(5, 36, 3, 29, 8).write(nomic);
  nomic.write("tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer"})");
  nomic.write("vocab.txt", tiny_vocabulary(ExpertModel::kVocab));
  write_tiny_privacy_filter(privacy);
  check(nomic);
  check(privacy);
}

}  // namespace
}  // namespace bert::test
