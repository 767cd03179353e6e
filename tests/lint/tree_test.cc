// The source tree itself keeps the rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/lint/rules.h"
#include "tests/support/test_data.h"

namespace bert::lint {
namespace {

namespace fs = std::filesystem;

// Sources whose test has another name, each with where its behaviour is tested.
const std::set<std::string> kTestedElsewhere = {
    "tools/cli/main.cc",  // every test of tests/tools/cli runs the program
};

// What a person wrote: build directories, hidden folders (but CI's) and the built-in model's data are left out.
std::vector<SourceFile> read_tree() {
  static const std::set<std::string> kinds = {".cc", ".h",  ".inc", ".c",     ".S", ".py",
                                              ".sh", ".md", ".txt", ".cmake", ".in"};
  const fs::path top = BERT_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (auto it = fs::recursive_directory_iterator(top); it != fs::recursive_directory_iterator(); ++it) {
    const std::string path = it->path().lexically_relative(top).generic_string();
    const bool hidden = it->path().filename().string().starts_with(".") && path != ".ci";
    const bool made = path.starts_with("build") || path == "out" || path == "models/builtin";
    if (it->is_directory() && (hidden || made)) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file() &&
               (kinds.contains(it->path().extension()) || path == ".ci/run" || path == "LICENSE")) {
      files.push_back({path, test::read_file(it->path())});
    }
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

class Tree : public ::testing::Test {
 protected:
  Tree() : files_(read_tree()) {
    for (const SourceFile& file : files_) paths_.insert(file.path);
  }

  template <typename Check>
  Findings check_each(Check check) const {
    Findings all;
    for (const SourceFile& file : files_) {
      const Findings findings = check(file);
      all.insert(all.end(), findings.begin(), findings.end());
    }
    return all;
  }

  std::vector<SourceFile> files_;
  std::set<std::string> paths_;
};

TEST_F(Tree, IsReadWhole) {
  EXPECT_TRUE(paths_.contains("CMakeLists.txt"));
  EXPECT_TRUE(paths_.contains("include/bert/model.h"));
  EXPECT_TRUE(paths_.contains("tests/lint/rules.cc"));
  EXPECT_TRUE(paths_.contains(".ci/run"));
}

TEST_F(Tree, IncludesOnlyDownwards) { EXPECT_EQ(check_each(check_includes), Findings()); }

TEST_F(Tree, KeepsLibraryCodeOutOfIsaFiles) { EXPECT_EQ(check_isa_includes(files_), Findings()); }

TEST_F(Tree, NamesFamiliesOnlyInModels) { EXPECT_EQ(check_each(check_family_names), Findings()); }

TEST_F(Tree, HasATestForEachSource) { EXPECT_EQ(check_mirror(paths_, kTestedElsewhere), Findings()); }

TEST_F(Tree, LinksToFilesThatExist) {
  const auto check = [&](const SourceFile& file) {
    return file.path.ends_with(".md") ? check_links(file, paths_) : Findings();
  };
  EXPECT_EQ(check_each(check), Findings());
}

TEST_F(Tree, NamesNoMachinesPaths) { EXPECT_EQ(check_each(check_machine_paths), Findings()); }

}  // namespace
}  // namespace bert::lint
