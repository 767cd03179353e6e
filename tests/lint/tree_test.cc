// Checks that the source tree itself keeps the rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
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

// Tests that belong to a whole folder, and sources whose test has another name. The comment names the test.
const std::set<std::string> kTestedElsewhere = {
    "tests/bindings/c/c_api_memory_test.cc", "tests/bindings/c/cases_test.cc", "tests/models/callers_counts_test.cc",
    "tests/models/config_fields_test.cc", "tests/models/digests_test.cc", "tests/models/golden_test.cc",
    "tests/models/same_bits_test.cc", "tests/program/server/packaging_test.cc",
    "tests/program/server/raw_requests_test.cc",
    // These are compiled only for WebAssembly: tests/bindings/web/digests_test.mjs
    "engine/base/relaxed_simd.cc", "engine/kernels/isa/wasm.cc", "engine/kernels/isa/wasm_relaxed.cc",
    // These are compiled only for Windows: the digests of tools/test_windows.sh
    "engine/base/windows/aligned_buffer.cc", "engine/base/windows/cache_sizes.cc",
    "engine/base/windows/cpu_features.cc", "engine/base/windows/processors.cc", "engine/base/windows/thread_memory.cc",
    "engine/base/windows/utf8_path.cc",
    // packaging/release/check_windows.sh
    "program/common/windows/system_files.cc", "program/common/windows/terminal.cc",
    "program/cli/run/windows/process_signals.cc",
    "program/common/posix/system_files.cc",      // output_test, journal_test, secret_file_test, line_reader_test
    "program/common/posix/terminal.cc",          // terminal_text_test, terminal_test.py
    "program/cli/run/posix/process_signals.cc",  // signals_test
    "tokenizer/text_pass.cc", "tokenizer/tokenizer_steps.cc",  // sequence_tokenizer_test, normalizer_stream_test
    "models/config/adapter_settings.cc",                       // task_adapters_test
    "bindings/c/c_api_encode.cc",                              // c_api_test, as all of the C interface
    "bindings/c/c_api_tokens.cc",                              // c_api_test
    "models/encoder/expert_reader.cc",                         // plan_reader_test, the digests of the families
    "models/encoder/narrow_reader.cc",                         // mobilebert_test
    "models/encoder/relative_reader.cc",  // plan_reader_test, distance_tables_test, the digests of the families
    "models/model/embed_tokens.cc",       // late_interaction_test
    // model_test, the digests of the families, packed_weights_test, late_interaction_test, embed_test
    "models/model/model_parts.cc",
    "models/sentence/late_settings.cc",  // late_interaction_test
    // text_task_runner_test, text_pipeline_test, one_text_test
    "models/pipeline/computation.cc", "models/pipeline/computations.cc",
    "models/pipeline/text_vectors.cc",  // also resolved_request_test
    "models/pipeline/many_texts.cc",  // text_pipeline_test, late_interaction_test, embed_sparse_test, vector_kinds_test
    "program/cli/main.cc",            // every test of tests/program/cli runs the program
    "program/cli/command.cc",         // a table: help_test and command_line_test look for each of its entries
    "program/cli/input/labelled_input.cc",  // evaluation_test, fit_test
    "program/cli/input/golden_file.cc",     // verify_test, quantize_test
    // probe_test; explain_test, attention_test, order_test; report_command_test
    "program/cli/explore/probe_experiment.cc", "program/cli/explore/text_experiment.cc",
    "program/drawings/sample_texts.cc",    // a list: comparison_test counts it
    "program/cli/command_line/syntax.cc",  // help_test, completion_test
    // tests/program/fetch/fetch_test.py and faults_test.py, with a hub on localhost
    "program/fetch/curl_library.cc", "program/fetch/http_client.cc", "program/fetch/hub.cc", "program/fetch/fetch.cc",
    "program/cli/commands/fetch.cc", "program/cli/commands/fetch_console.cc",
    "program/server/http/session.cc",  // http/server_test, as a session needs a server
};

// Pairs of sources that need headers of each other.
const std::set<std::string> kCircles = {
    "engine/base/file.cc includes engine/base/bundle.h",
    "models/encoder/distance_tables.cc includes models/encoder/plan.h",
    "models/pipeline/computation.cc includes models/pipeline/computations.h",
    "models/sentence/module_chain.cc includes models/sentence/module_state.h",
    "program/cli/input/input.cc includes program/cli/input/column_records.h",
    "program/cli/input/input.cc includes program/cli/input/json_record.h",
};

// The first is a generated table, the second a program in one file on purpose.
const std::set<std::string> kLongFiles = {"tokenizer/unicode/unicode_tables.cc", "examples/one_page/bert.cc"};

struct SourceTree {
  std::vector<SourceFile> files;  // written by people, in order
  std::set<std::string> paths;    // of all files that no build made
};

// Reads the tree without build directories and hidden folders other than CI's.
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

TEST_F(Tree, HasACoreThatIncludesItsOwnHeadersAlone) {
  std::istringstream words(BERT_CORE_HEADERS);
  const std::set<std::string> headers{std::istream_iterator<std::string>(words), {}};
  EXPECT_TRUE(headers.contains("include/bert/model.h"));
  EXPECT_EQ(check_each([&](const SourceFile& file) { return check_core_headers(file, headers); }), Findings());
}

TEST_F(Tree, HasNoCirclesOfIncludes) { EXPECT_EQ(check_include_circles(tree_.files, kCircles), Findings()); }

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

TEST_F(Tree, HasATableOfFoldersThatSaysWhatTheRulesDo) {
  const auto page = std::find_if(tree_.files.begin(), tree_.files.end(),
                                 [](const SourceFile& file) { return file.path == "docs/ARCHITECTURE.md"; });
  ASSERT_NE(page, tree_.files.end());
  EXPECT_EQ(check_folder_table(*page), Findings());
}

TEST_F(Tree, NamesInPagesWhatTheSourcesHave) {
  const SourceNames names(tree_.files);
  const auto check = [&](const SourceFile& file) {
    const bool is_page = file.path.ends_with(".md") && file.path != "CHANGELOG.md";  // it names removed files
    return is_page ? check_names_of_sources(file, tree_.paths, names) : Findings();
  };
  EXPECT_EQ(check_each(check), Findings());
}

TEST_F(Tree, HasNoLinesOfProseAbove120Columns) { EXPECT_EQ(check_each(check_line_lengths), Findings()); }

TEST_F(Tree, DeclaresNoNameThatItDoesNotUse) { EXPECT_EQ(check_each(check_using_declarations), Findings()); }

TEST_F(Tree, HasPathsInUtf8) { EXPECT_EQ(check_each(check_path_strings), Findings()); }

// Checks only git's files. Other files in the folder belong to the developer.
TEST_F(Tree, HasNoEmptyFilesAndNoneOfAnUnknownKind) {
  const std::string list = output_of("git -C '" + test::source_directory() + "' ls-files 2>&1");
  if (list.starts_with("fatal:")) GTEST_SKIP() << "no git repository: " << list;
  Findings all;
  std::istringstream lines(list);
  for (std::string path; std::getline(lines, path);) {
    const fs::path file = fs::path(test::source_directory()) / path;
    if (!fs::exists(file)) continue;  // the removal is not yet committed
    const Findings findings = check_kind(path, fs::file_size(file) == 0);
    all.insert(all.end(), findings.begin(), findings.end());
  }
  EXPECT_EQ(all, Findings());
}

TEST_F(Tree, NamesNoMachinesPaths) { EXPECT_EQ(check_each(check_machine_paths), Findings()); }

}  // namespace
}  // namespace bert::lint
