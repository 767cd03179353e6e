// Tests the list of families, and rules for all families.
#include "models/config/family.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "bert/error.h"
#include "tests/models/family_check.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

TEST(Family, IsFoundByTheTypeThatConfigJsonNames) {
  std::set<std::pair<std::string_view, std::string_view>> types;
  for (const Family* family : families()) {
    EXPECT_EQ(find_family(family->model_type, family->position_embedding_type), family);
    EXPECT_EQ(default_config(*family).model_type, family->model_type);
    EXPECT_TRUE(types.insert({family->model_type, family->position_embedding_type}).second) << family->model_type;
  }
  EXPECT_TRUE(types.contains({"bert", ""}));
  EXPECT_EQ(find_family("none"), nullptr);
}

TEST(Family, NumbersEveryLayersName) {
  for (const Family* family : families()) {
    const EncoderNames& names = family->names;
    for (const std::string_view name :
         {names.norm_before_attention, names.query, names.key, names.value, names.qkv, names.attention_output,
          names.norm_after_attention, names.norm_before_feed_forward, names.feed_forward_gate, names.feed_forward_up,
          names.feed_forward_down, names.norm_after_feed_forward}) {
      if (name.empty()) continue;
      const bool numbered =
          name.find("{}") != name.npos || (name.find("{group}") != name.npos && name.find("{inner}") != name.npos);
      EXPECT_TRUE(numbered) << family->model_type << ": " << name;
    }
  }
}

TEST(Family, IsNearWithOpenBlas) {
  try {
    for (const char* name : {"bert-odd-1", "bert-relative-key-query", "bert-masked-lm", "albert-groups-2"}) {
      BERT_TEST_DATA_OR_SKIP(folder, std::string("family/") + name);
      test::check_outputs(folder, {.gemm = GemmProvider::kOpenBlas});
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNotFound) throw;
    GTEST_SKIP() << "SKIPPED, " << error.what();
  }
}

// Folders that other tests read: files for the converter (tests/tools), and models with heads (tests/tasks/heads).
constexpr const char* kOtherFolders[] = {"bert-odd-1-bin", "bert-odd-1-bin-legacy", "tiny-mlm",
                                         "tiny-qa",        "tiny-rerank",           "tiny-tagger"};

TEST(Family, IsTestedOnEveryFolderOfTheData) {
  BERT_TEST_DATA_OR_SKIP(older, "family");
  BERT_TEST_DATA_OR_SKIP(newer, "family_modern");
  std::set<std::string> looked_at = test::family_folders();
  looked_at.insert(std::begin(kOtherFolders), std::end(kOtherFolders));
  std::set<std::string> found;
  for (const std::filesystem::path& data : {older, newer}) {
    for (const auto& entry : std::filesystem::directory_iterator(data)) {
      if (!entry.is_directory()) continue;
      const std::string name = entry.path().filename().string();
      found.insert(name);
      const auto config = nlohmann::json::parse(test::read_file(entry.path() / "config.json"));
      if (find_family(config["model_type"].get<std::string>()) == nullptr) {
        std::printf("not tested, its family is not here: %s\n", name.c_str());
      } else {
        EXPECT_TRUE(looked_at.contains(name)) << name;
      }
    }
  }
  for (const std::string& name : looked_at) EXPECT_TRUE(found.contains(name)) << name << " is not there";
}

TEST(Family, IsRefusedWithTheConvertersCommandWithoutSafetensors) {
  BERT_TEST_DATA_OR_SKIP(family, "family");
  for (const char* name : {"bert-odd-1-bin", "bert-odd-1-bin-legacy"}) {
    const test::FamilyModel model(family / name);
    try {
      model.load();
      ADD_FAILURE() << name << " was loaded";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnsupported) << error.what();
      EXPECT_NE(std::string(error.what()).find("pytorch_model.bin"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("convert_weights.py"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace bert
