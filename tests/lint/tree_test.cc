// The source tree itself keeps the rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/lint/command_output.h"
#include "tests/lint/rules.h"
#include "tests/support/build_tree.h"
#include "tests/support/test_data.h"

namespace bert::lint {
namespace {

namespace fs = std::filesystem;

// Sources whose test has another name, each with where its behaviour is tested.
const std::set<std::string> kTestedElsewhere = {
    // Compiled for WebAssembly alone: tests/bindings/web/digests_test.mjs
    "engine/base/relaxed_simd.cc", "engine/kernels/isa/wasm.cc", "engine/kernels/isa/wasm_relaxed.cc",
    "models/config/adapter_settings.cc",  // task_adapters_test
    "models/c_api/c_api_encode.cc",       // c_api_test, as all of the C interface
    "models/c_api/c_api_tokens.cc",       // c_api_test
    "models/encoder/relative_reader.cc",  // plan_reader_test, distance_tables_test, the digests of the families
    "models/model/embed_tokens.cc",       // late_interaction_test
    "models/sentence/late_settings.cc",   // late_interaction_test
    // text_task_runner_test, text_pipeline_test, one_text_test
    "models/pipeline/computation.cc", "models/pipeline/token_ids.cc", "models/pipeline/token_states.cc",
    "models/pipeline/text_vectors.cc", "models/pipeline/head_logits.cc", "models/pipeline/label_matches.cc",
    "models/pipeline/chunk_vectors.cc",  // resolved_request_test
    "models/pipeline/many_texts.cc",  // text_pipeline_test, late_interaction_test, embed_sparse_test, vector_kinds_test
    "tools/cli/main.cc",              // every test of tests/tools/cli runs the program
    "tools/cli/command.cc",           // a table: help_test and command_line_test look for each of its entries
    "tools/cli/input/golden_file.cc",  // verify_test, quantize_test
    // probe_test; explain_test, attention_test, order_test; report_command_test
    "tools/cli/explore/probe_experiment.cc", "tools/cli/explore/text_experiment.cc",
    "tools/cli/output/sparse_writer.cc",     // embed_test
    "tools/cli/commands/inspect_config.cc",  // inspect_test
    "tools/drawings/sample_texts.cc",        // a list: comparison_test counts it
    "tools/cli/command_line/syntax.cc",      // manual_test, completion_test, help_test
    // tests/tools/fetch/fetch_test.py and faults_test.py, with a hub on the loopback
    "tools/fetch/curl_library.cc", "tools/fetch/http_client.cc", "tools/fetch/hub.cc", "tools/fetch/fetch.cc",
    "tools/cli/commands/fetch.cc", "tools/cli/commands/fetch_console.cc",
    "tools/server/http/session.cc",  // http/server_test: a session has no life without its server
};

// A generated table, and a program that is one file on purpose.
const std::set<std::string> kLongFiles = {"tokenizer/unicode/unicode_tables.cc", "examples/one_page/bert.cc"};

struct SourceTree {
  std::vector<SourceFile> files;  // what a person wrote, in order
  std::set<std::string> paths;    // of these, and of everything else that is not made by a build
};

// Build directories and hidden folders (but CI's) are left out.
SourceTree read_tree() {
  static const std::set<std::string> kinds = {".cc", ".h",  ".inc", ".c",     ".S",  ".py",
                                              ".sh", ".md", ".txt", ".cmake", ".in", ".yml"};
  const fs::path top = test::source_directory();
  SourceTree tree;
  for (auto it = fs::recursive_directory_iterator(top); it != fs::recursive_directory_iterator(); ++it) {
    const std::string path = it->path().lexically_relative(top).generic_string();
    const bool hidden = it->path().filename().string().starts_with(".") && path != ".ci" && path != ".github";
    const bool made = path.starts_with("build") || path == "out";
    if (it->is_directory()) {
      if (hidden || made) it.disable_recursion_pending();
      continue;
    }
    tree.paths.insert(path);
    const bool written = kinds.contains(it->path().extension().string()) || path == ".ci/run";
    if (written && !path.starts_with("models/builtin/")) tree.files.push_back({path, test::read_file(it->path())});
  }
  std::sort(tree.files.begin(), tree.files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return tree;
}

class Tree : public ::testing::Test {
 protected:
  template <typename Check>
  Findings check_each(Check check) const {
    Findings all;
    for (const SourceFile& file : tree_.files) {
      const Findings findings = check(file);
      all.insert(all.end(), findings.begin(), findings.end());
    }
    return all;
  }

  const SourceTree tree_ = read_tree();
};

TEST_F(Tree, IsReadWhole) {
  EXPECT_TRUE(tree_.paths.contains("CMakeLists.txt"));
  EXPECT_TRUE(tree_.paths.contains("include/bert/model.h"));
  EXPECT_TRUE(tree_.paths.contains("tests/lint/rules.cc"));
  EXPECT_TRUE(tree_.paths.contains(".ci/run"));
}

TEST_F(Tree, IncludesOnlyDownwards) { EXPECT_EQ(check_each(check_includes), Findings()); }

TEST_F(Tree, KeepsLibraryCodeOutOfIsaFiles) { EXPECT_EQ(check_isa_includes(tree_.files), Findings()); }

TEST_F(Tree, NamesFamiliesOnlyInModels) { EXPECT_EQ(check_each(check_family_names), Findings()); }

TEST_F(Tree, HasATestForEachSource) { EXPECT_EQ(check_mirror(tree_.paths, kTestedElsewhere), Findings()); }

TEST_F(Tree, HasNoSourceAbove400Lines) { EXPECT_EQ(check_file_lengths(tree_.files, kLongFiles), Findings()); }

TEST_F(Tree, LinksToFilesThatExist) {
  const auto check = [&](const SourceFile& file) {
    return file.path.ends_with(".md") ? check_links(file, tree_.paths) : Findings();
  };
  EXPECT_EQ(check_each(check), Findings());
}

TEST_F(Tree, HasNoLinesOfProseAbove120Columns) { EXPECT_EQ(check_each(check_line_lengths), Findings()); }

TEST_F(Tree, DeclaresNoNameThatItDoesNotUse) { EXPECT_EQ(check_each(check_using_declarations), Findings()); }

// Looks at the files that git has: what lies beside them is its owner's.
TEST_F(Tree, HasNoEmptyFilesAndNoneOfAnUnknownKind) {
  const std::string list = output_of("git -C '" + test::source_directory() + "' ls-files 2>&1");
  if (list.starts_with("fatal:")) GTEST_SKIP() << "no git repository: " << list;
  Findings all;
  std::istringstream lines(list);
  for (std::string path; std::getline(lines, path);) {
    const fs::path file = fs::path(test::source_directory()) / path;
    if (!fs::exists(file)) continue;  // removed, and not yet committed
    const Findings findings = check_kind(path, fs::file_size(file) == 0);
    all.insert(all.end(), findings.begin(), findings.end());
  }
  EXPECT_EQ(all, Findings());
}

TEST_F(Tree, NamesNoMachinesPaths) { EXPECT_EQ(check_each(check_machine_paths), Findings()); }

}  // namespace
}  // namespace bert::lint
