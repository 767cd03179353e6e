#include "models/files/model_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "tests/support/build_tree.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

namespace fs = std::filesystem;

// Names of weights, and of other programs' files, which only messages mention.
const std::set<std::string> kNotListed = {"_config.json",
                                          "adapter_config.json",
                                          "model.safetensors.index.json",
                                          "pytorch_model.bin.index.json",
                                          "tf_model.h5.index.json",
                                          "flax_model.msgpack.index.json",
                                          ".safetensors.index.json",
                                          "verify.json"};

TEST(ModelFiles, AreAllThatTheSourcesName) {
  const std::regex literal(R"re("([A-Za-z0-9_.-]+\.(json|txt|model|jinja|metadata|bpe))")re");
  std::set<std::string> named;
  for (const char* folder : {"engine", "models", "tokenizer"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(test::source_directory() + "/" + folder)) {
      if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
      const std::string text = test::read_file(entry.path());
      for (std::sregex_iterator found(text.begin(), text.end(), literal), end; found != end; ++found) {
        named.insert((*found)[1]);
      }
    }
  }
  EXPECT_TRUE(named.contains("modules.json"));
  for (const std::string& name : named) EXPECT_EQ(is_model_file(name), !kNotListed.contains(name)) << name;
}

TEST(ModelFiles, KnowTheTokenizers) {
  EXPECT_TRUE(is_tokenizer_file("spm.model"));
  EXPECT_FALSE(is_tokenizer_file("modules.json"));
  EXPECT_TRUE(is_model_file("artifact.metadata"));
  EXPECT_TRUE(is_model_file("sentence_some-kind_config.json"));
  EXPECT_FALSE(is_model_file("adapter_config.json"));
  EXPECT_FALSE(is_model_file("model.safetensors"));
}

}  // namespace
}  // namespace bert
