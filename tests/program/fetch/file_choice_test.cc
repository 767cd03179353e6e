#include "program/fetch/file_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/support/expect_error.h"

namespace bert::fetch {
namespace {

using test::error_of;
using Files = std::map<std::string, std::string>;  // from path to content

FileChoice choice_of(const Files& files) {
  std::vector<RemoteFile> listed;
  for (const auto& [path, content] : files) listed.push_back({path, content.size(), std::string(40, '0')});
  return choose_files("org/name", listed, [&](const RemoteFile& file) { return files.at(file.path); });
}

std::vector<std::string> paths_of(const Files& files) {
  std::vector<std::string> paths;
  for (const RemoteFile& file : choice_of(files).files) paths.push_back(file.path);
  std::ranges::sort(paths);
  return paths;
}

using Paths = std::vector<std::string>;

TEST(FileChoice, PrefersSafetensors) {
  const Files files = {{"config.json", "{}"},         {"model.safetensors", ""}, {"model.safetensors.index.json", "{}"},
                       {"pytorch_model.bin", ""},     {"README.md", ""},         {"onnx/model.onnx", ""},
                       {"onnx/tokenizer.json", "{}"}, {"vocab.txt", ""}};
  EXPECT_EQ(paths_of(files), (Paths{"config.json", "model.safetensors", "vocab.txt"}));
  EXPECT_EQ(choice_of(files).notes, Paths{});
}

TEST(FileChoice, TakesTheFoldersThatModulesName) {
  EXPECT_EQ(paths_of({{"modules.json", R"([{"path": ""}, {"path": "0_StaticEmbedding"}, {"path": "2_Normalize"}])"},
                      {"0_StaticEmbedding/tokenizer.json", "{}"},
                      {"0_StaticEmbedding/model.safetensors", ""},
                      {"1_Other/config.json", "{}"}}),
            (Paths{"0_StaticEmbedding/model.safetensors", "0_StaticEmbedding/tokenizer.json", "modules.json"}));
}

// modules.json names 300,000 modules, which are all in one folder of 20,000 files, or each in its own folder.
TEST(FileChoice, LooksAtEachFolderOnceAndAtFew) {
  Files files = {{"model.safetensors", ""}};
  for (size_t i = 0; i < 20'000; ++i) files["a/" + std::to_string(i) + ".txt"] = "";
  std::string same = R"([{"path": "a"})", other = R"([{"path": "a"})";
  for (size_t i = 0; i < 300'000; ++i) {
    same += R"(, {"path": "a"})";
    other += R"(, {"path": "b)" + std::to_string(i) + R"("})";
  }
  files["modules.json"] = same + "]";
  EXPECT_FALSE(choice_of(files).files.empty());
  files["modules.json"] = other + "]";
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile, [&] { choice_of(files); }),
            "model 'org/name': its files name more than 1000 folders");
}

TEST(FileChoice, TakesEachShardOnce) {
  EXPECT_EQ(
      paths_of({{"model.safetensors.index.json", R"({"weight_map": {"a": "x.safetensors", "b": "x.safetensors"}})"},
                {"x.safetensors", ""},
                {"y.safetensors", ""}}),
      (Paths{"model.safetensors.index.json", "x.safetensors"}));
}

TEST(FileChoice, SaysWhatMustBeConverted) {
  const FileChoice choice = choice_of({{"config.json", "{}"}, {"colbert_linear.pt", ""}, {"pytorch_model.bin", ""}});
  EXPECT_EQ(choice.files.size(), 3u);
  EXPECT_EQ(choice.notes, (Paths{"'pytorch_model.bin' of 'org/name' is not read as it is; convert it by: python3 "
                                 "tools/convert_weights.py DIRECTORY",
                                 "'colbert_linear.pt' of 'org/name' is not read as it is; convert it by: python3 "
                                 "tools/convert_weights.py DIRECTORY"}));
  EXPECT_EQ(choice_of({{"gliner_config.json", "{}"}, {"model.safetensors", ""}}).notes,
            Paths{"'org/name' has no tokenizer and only names its encoder: fetch that too"});
}

TEST(FileChoice, TakesAnAdapterAloneAndNamesItsBase) {
  Files files = {{"adapter_config.json", R"({"base_model_name_or_path": "org/base"})"},
                 {"adapter_model.safetensors", ""},
                 {"README.md", ""}};
  EXPECT_EQ(paths_of(files), (Paths{"adapter_config.json", "adapter_model.safetensors"}));
  EXPECT_EQ(choice_of(files).notes, (Paths{"'org/name' is an adapter (LoRA) of 'org/base': fetch that too"}));
  files["adapter_config.json"] = R"({"base_model_name_or_path": null})";
  EXPECT_EQ(choice_of(files).notes, (Paths{"'org/name' is an adapter (LoRA) that does not name its base model"}));
  files["model.safetensors"] = "";
  EXPECT_EQ(paths_of(files), (Paths{"adapter_config.json", "model.safetensors"}));
  EXPECT_EQ(error_of(ErrorCode::kUnsupported,
                     [] {
                       choice_of({{"adapter_config.json", "{}"}, {"adapter_model.bin", ""}});
                     }),
            "model 'org/name': found 'adapter_model.bin', expected model.safetensors, its shards, or pytorch_model.bin "
            "to convert; of an adapter adapter_model.safetensors");
}

TEST(FileChoice, RefusesWhatLeavesTheFolderAndWhatHasNoWeights) {
  EXPECT_EQ(error_of([] {
              choice_of({{"model.gguf", ""}});
            }),
            "model 'org/name': found 'model.gguf', expected model.safetensors, its shards, or pytorch_model.bin to "
            "convert");
  EXPECT_EQ(error_of([] { choice_of({}); }),
            "model 'org/name': found no weights, expected model.safetensors, its shards, or pytorch_model.bin to "
            "convert");
  EXPECT_NE(error_of([] { choice_of({{"modules.json", R"([{"path": "a/b"}])"}}); }).find("path"), std::string::npos);
  EXPECT_NE(error_of([] {
              choice_of({{"router_config.json", R"({"types": {"../x": "y"}})"}, {"model.safetensors", ""}});
            }).find("types: found '../x', expected the plain name of a directory"),
            std::string::npos);
}

}  // namespace
}  // namespace bert::fetch
