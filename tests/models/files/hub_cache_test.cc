#include "models/files/hub_cache.h"

#include <gtest/gtest.h>

#include <map>

#include "bert/error.h"
#include "bert/model.h"
#include "engine/base/utf8_path.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::TemporaryDirectory;

fs::path cache_for(std::map<std::string, std::string> variables) {
  return hub_cache_directory([&](const char* name) -> std::optional<std::string> {
    const auto place = variables.find(name);
    return place == variables.end() ? std::nullopt : std::optional(place->second);
  });
}

TEST(HubCacheDirectory, AsksTheEnvironmentInTheReferencesOrder) {
  EXPECT_EQ(cache_for({{"HF_HUB_CACHE", "/a"}, {"HF_HOME", "/b"}, {"XDG_CACHE_HOME", "/c"}, {kHomeVariable, "/d"}}),
            "/a");
  EXPECT_EQ(cache_for({{"HF_HOME", "/b"}, {"XDG_CACHE_HOME", "/c"}, {kHomeVariable, "/d"}}), "/b/hub");
  EXPECT_EQ(cache_for({{"XDG_CACHE_HOME", "/c"}, {kHomeVariable, "/d"}}), "/c/huggingface/hub");
  EXPECT_EQ(cache_for({{kHomeVariable, "/d"}}), "/d/.cache/huggingface/hub");
  EXPECT_EQ(cache_for({{"HF_HUB_CACHE", ""}, {"HF_HOME", ""}, {kHomeVariable, "/d"}}), "/d/.cache/huggingface/hub");
  EXPECT_EQ(cache_for({{"HF_HOME", "~/x"}, {kHomeVariable, "/d"}}), "/d/x/hub");
  EXPECT_EQ(cache_for({{"HUGGINGFACE_HUB_CACHE", "/a"}, {"HF_HOME", "/b"}}), "/a");
  EXPECT_EQ(cache_for({{"HF_HUB_CACHE", "/a"}, {"HUGGINGFACE_HUB_CACHE", "/b"}}), "/a");
  EXPECT_EQ(cache_for({}), "");
}

// The expected folders are those of huggingface_hub 2.4.0.
TEST(HubCacheDirectory, ExpandsVariables) {
  const auto with = [](const char* name, const char* value) {
    return cache_for({{name, value}, {kHomeVariable, "/d"}, {"X", "/v"}});
  };
  EXPECT_EQ(with("HUGGINGFACE_HUB_CACHE", "$X/c"), "/v/c");
  EXPECT_EQ(with("HF_HUB_CACHE", "~/${X}y/$NONE/$"), "/d//vy/$NONE/$");
  EXPECT_EQ(with("HF_HOME", "$X/h"), "/v/h/hub");
  EXPECT_EQ(with("XDG_CACHE_HOME", "$X/x"), "/v/x/huggingface/hub");
  EXPECT_EQ(with("HF_HUB_CACHE", "$$X/${X/${Y}"), "$/v/${X/${Y}");
}

class HubCache : public ::testing::Test {
 protected:
  HubCache() {
    cache_.write("models--org--name/refs/main", "abcd\n");
    cache_.write("models--org--name/refs/refs/pr/1", "ef01");
    cache_.write("models--org--name/refs/broken", "nothing-here");
    cache_.write("models--org--name/refs/evil", "../../../etc");
    cache_.write("models--org--name/refs/empty", "");
    cache_.write("models--org--name/snapshots/abcd/config.json", "{}");
    cache_.write("models--org--name/snapshots/ef01/config.json", "{}");
    cache_.write("models--bert-base-uncased/refs/main", "1234");
    cache_.write("models--bert-base-uncased/snapshots/1234/config.json", "{}");
  }
  fs::path find(const std::string& name, const std::string& revision = "main") const {
    return find_model_in(cache_.path(), name, revision);
  }
  std::string error(const std::string& name, ErrorCode expected, const std::string& revision = "main") const {
    const std::string text = error_of(expected, [&] { find(name, revision); });
    return text;
  }
  TemporaryDirectory cache_;
};

TEST_F(HubCache, FindsSnapshotsByNameAndRevision) {
  const fs::path snapshots = cache_.path() / "models--org--name/snapshots";
  EXPECT_EQ(find("org/name"), snapshots / "abcd");
  EXPECT_EQ(find("org/name", "refs/pr/1"), snapshots / "ef01");
  EXPECT_EQ(find("org/name", "ef01"), snapshots / "ef01");
  EXPECT_EQ(find("bert-base-uncased"), cache_.path() / "models--bert-base-uncased/snapshots/1234");
}

TEST_F(HubCache, TakesADirectoryAsItIs) {
  const std::string directory = (cache_.path() / "models--org--name").string();
  EXPECT_EQ(find(directory), directory);
  EXPECT_EQ(find_model(directory), directory);
  EXPECT_EQ(find("."), ".");
}

TEST_F(HubCache, CompletesABareName) {
  cache_.write("models--sentence-transformers--all-MiniLM-L6-v2/refs/main", "5678");
  cache_.write("models--sentence-transformers--all-MiniLM-L6-v2/snapshots/5678/config.json", "{}");
  const fs::path snapshot = cache_.path() / "models--sentence-transformers--all-MiniLM-L6-v2/snapshots/5678";
  EXPECT_EQ(find("all-MiniLM-L6-v2"), snapshot);
  // A model of exactly this name comes before it, and a folder in checkpoints/ comes before both.
  cache_.write("models--all-MiniLM-L6-v2/refs/main", "9abc");
  cache_.write("models--all-MiniLM-L6-v2/snapshots/9abc/config.json", "{}");
  EXPECT_EQ(find("all-MiniLM-L6-v2"), cache_.path() / "models--all-MiniLM-L6-v2/snapshots/9abc");
  const fs::path before = fs::current_path();
  TemporaryDirectory work;
  work.write("checkpoints/all-MiniLM-L6-v2/config.json", "{}");
  fs::current_path(work.path());
  const fs::path fetched = find("all-MiniLM-L6-v2"), whole = find("sentence-transformers/all-MiniLM-L6-v2");
  fs::current_path(before);
  EXPECT_EQ(fetched, "checkpoints/all-MiniLM-L6-v2");
  EXPECT_EQ(whole, snapshot);
}

TEST_F(HubCache, IsTheOneThatACallerNames) {
  EXPECT_EQ(find_model("org/name", "ef01", cache_.path().string()), find("org/name", "ef01"));
}

TEST_F(HubCache, SaysWhereItLookedAndWhatToDo) {
  EXPECT_EQ(error("org/other", ErrorCode::kNotFound),
            "model 'org/other': no such directory here, and none of this name in the hub's cache '" +
                cache_.path().string() + "'; fetch it with: bert-infer fetch org/other");
  EXPECT_EQ(error("org/name", ErrorCode::kNotFound, "v2"),
            "model 'org/name': no such directory here, and no revision 'v2' in the hub's cache '" +
                (cache_.path() / "models--org--name").string() +
                "', where --revision may be abcd, ef01; fetch it with: bert-infer fetch org/name --revision v2");
  EXPECT_EQ(error("other", ErrorCode::kNotFound),
            "model 'other': no such directory here, and none of this name in the hub's cache '" +
                cache_.path().string() + "'; fetch it with: bert-infer fetch ORGANISATION/other");
  EXPECT_NE(error("org/name", ErrorCode::kNotFound, "broken").find("no revision 'broken'"), std::string::npos);
  EXPECT_NE(error_of([] {
              find_model_in("", "org/name", "main");
            }).find(std::string("set HF_HUB_CACHE, HF_HOME or ") + kHomeVariable),
            std::string::npos);
  const std::string file = cache_.write("file", "").string();
  EXPECT_NE(error(file, ErrorCode::kNotFound).find("is a file, expected a directory"), std::string::npos);
}

TEST_F(HubCache, SuggestsTheNameThatIsThere) {
  EXPECT_TRUE(error("name", ErrorCode::kNotFound).ends_with("; there is 'org/name'"));
  EXPECT_TRUE(error("google-bert/BERT-base-uncased", ErrorCode::kNotFound).ends_with("; there is 'bert-base-uncased'"));
}

TEST_F(HubCache, NamesFilesOfOtherFormats) {
  const std::string file = cache_.write("m.Q8_0.gguf", "GGUF").string();
  EXPECT_NE(error(file, ErrorCode::kUnsupported).find("'m.Q8_0.gguf' is a GGUF file, which is not read"),
            std::string::npos);
  cache_.write("exported/model.onnx", "x");
  const std::string directory = (cache_.path() / "exported").string();
  EXPECT_NE(error_of(ErrorCode::kUnsupported, [&] { find_model(directory); }).find("'model.onnx' is an ONNX file"),
            std::string::npos);
}

TEST_F(HubCache, RefusesNamesAndRevisionsThatLeadOut) {
  for (const std::string name : {"", "../models--org--name/x", "/no/such/directory", "org/..", "../org", "a/b/c",
                                 "org/", "/name", "org//name", "a b", "~", ".hidden", "-rf", "org/na\nme"}) {
#if defined(_WIN32)
    if (name == "org/..") continue;  // is "." there, whatever "org" is
#endif
    EXPECT_NE(error(name, ErrorCode::kNotFound), "") << name;
  }
  EXPECT_NE(error(std::string("org/na\0me", 9), ErrorCode::kNotFound), "");
  EXPECT_NE(error(std::string(5000, 'a'), ErrorCode::kNotFound), "");
  for (const std::string revision : {"", "..", "../x", "/etc", "a/../b", "a//b", ".x", "a\nb", "refs/"}) {
    EXPECT_NE(error("org/name", ErrorCode::kInvalidArgument, revision).find("expected the name of a branch"),
              std::string::npos)
        << revision;
  }
  EXPECT_NE(error("org/name", ErrorCode::kInvalidFile, "evil").find("'../../../etc', expected a commit's hash"),
            std::string::npos);
  EXPECT_NE(error("org/name", ErrorCode::kInvalidFile, "empty").find("expected a commit's hash"), std::string::npos);
}

}  // namespace
}  // namespace bert
