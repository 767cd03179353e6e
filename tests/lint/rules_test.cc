// Tests that each rule finds the faults of small made-up trees, and finds none in correct ones.
#include "tests/lint/rules.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace bert::lint {
namespace {

// Asserts that there is exactly one finding, and that it contains `part`.
testing::AssertionResult one_finding(const Findings& findings, const std::string& part) {
  if (findings.size() == 1 && findings[0].find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << testing::PrintToString(findings) << " is not one finding with \"" << part
                                     << '"';
}

SourceFile including(const std::string& path, const std::string& include) {
  return {path, "// A file.\n#include " + include + "\n"};
}

TEST(IncludeRule, RefusesWhatStandsAboveOrBeside) {
  const SourceFile bad[] = {
      including("engine/base/a.h", "\"engine/tensor/b.h\""),
      including("engine/tensor/a.h", "\"engine/kernels/b.h\""),
      including("engine/kernels/a.cc", "\"engine/layers/b.h\""),
      including("engine/kernels/gemm/a.cc", "\"engine/checkpoint/b.h\""),
      including("engine/checkpoint/a.cc", "\"engine/kernels/b.h\""),
      including("engine/layers/a.cc", "\"engine/checkpoint/b.h\""),
      including("engine/layers/a.cc", "\"bert/model.h\""),
      including("tokenizer/a.cc", "\"engine/tensor/b.h\""),
      including("tokenizer/a.cc", "\"bert/model.h\""),
      including("tokenizer/a.cc", "\"tokenizer/files/b.h\""),
      including("models/model/a.cc", "\"program/cli/b.h\""),
      including("models/encoder/a.cc", "\"models/sentence/b.h\""),
      including("models/config/a.h", "\"models/families/b.h\""),
      including("models/model/a.cc", "\"models/pipeline/b.h\""),
      including("program/cli/a.cc", "\"engine/base/b.h\""),
      including("program/cli/a.cc", "\"tools/bench/b.h\""),
      including("program/cli/a.cc", "\"program/server/queue/scheduler.h\""),
      including("program/server/a.cc", "\"program/cli/b.h\""),
      including("program/server/base/a.cc", "\"program/server/http/b.h\""),
      including("program/server/http/a.cc", "\"program/server/routes/b.h\""),
      including("program/server/http/a.cc", "\"program/server/queue/b.h\""),
      including("program/server/queue/a.cc", "\"program/server/http/b.h\""),
      including("program/server/queue/a.cc", "\"program/server/routes/b.h\""),
      including("program/server/routes/a.cc", "\"program/server/b.h\""),
      including("program/common/a.cc", "\"program/cli/b.h\""),
      including("program/drawings/a.cc", "\"program/cli/b.h\""),
      including("tasks/analysis/a.cc", "\"bert/model.h\""),
      including("models/model/a.cc", "\"tasks/analysis/b.h\""),
      including("tools/bench/a.cc", "\"models/model/b.h\""),
      including("include/bert/a.h", "\"models/model/b.h\""),
      including("include/bert/a.h", "<nlohmann/json.hpp>"),
      including("engine/layers/a.cc", "<Eigen/Core>"),
      including("tokenizer/files/a.cc", "<nlohmann/json.hpp>"),
      including("models/config/a.h", "\"nlohmann/json.hpp\""),
      including("models/model/a.cc", "\"tasks/labels/b.h\""),
      including("engine/base/a.cc", "\"b.h\""),
  };
  for (const SourceFile& file : bad) {
    EXPECT_TRUE(one_finding(check_includes(file), file.path + ":2: ")) << file.text;
  }
}

TEST(IncludeRule, AllowsWhatStandsBelow) {
  const SourceFile good[] = {
      including("engine/base/a.cc", "\"engine/base/a.h\""),
      including("engine/base/a.cc", "\"bert/error.h\""),
      including("engine/tensor/a.h", "\"engine/base/b.h\""),
      including("engine/kernels/gemm/a.cc", "\"engine/tensor/b.h\""),
      including("engine/layers/a.cc", "\"engine/kernels/b.h\""),
      including("engine/checkpoint/a.cc", "\"engine/tensor/b.h\""),
      including("tokenizer/a.cc", "\"bert/tokenizer.h\""),
      including("tokenizer/files/a.cc", "\"tokenizer/b.h\""),
      including("models/model/a.cc", "\"engine/checkpoint/b.h\""),
      including("models/model/a.cc", "\"bert/model.h\""),
      including("tasks/research/a.cc", "\"tasks/analysis/b.h\""),
      including("program/cli/a.cc", "\"bert/model.h\""),
      including("program/cli/a.cc", "<CLI/CLI.hpp>"),
      including("program/cli/commands/serve.cc", "\"program/server/serve.h\""),
      including("program/server/a.cc", "\"program/common/b.h\""),
      including("program/server/a.cc", "\"program/server/routes/b.h\""),
      including("program/server/routes/a.cc", "\"program/server/queue/b.h\""),
      including("program/server/http/a.cc", "\"program/server/base/b.h\""),
      including("program/cli/a.cc", "\"tasks/analysis/b.h\""),
      including("tools/bench/a.cc", "\"engine/kernels/b.h\""),
      including("tools/bench/a.cc", "\"made_by_the_build.inc\""),
      including("include/bert/a.h", "\"bert/b.h\""),
      including("include/bert/a.h", "<string_view>"),
      including("tests/models/a_test.cc", "\"engine/kernels/b.h\""),
  };
  for (const SourceFile& file : good) EXPECT_EQ(check_includes(file), Findings()) << file.path;
}

TEST(IncludeCircles, AreFoundThroughASourceAndItsHeader) {
  const std::vector<SourceFile> circle = {
      including("engine/a.h", "<vector>"),
      including("engine/a.cc", "\"engine/b.h\""),
      including("engine/b.h", "\"bert/c.h\""),
      including("include/bert/c.h", "\"engine/a.h\""),
  };
  EXPECT_TRUE(one_finding(check_include_circles(circle, {}),
                          "include/bert/c.h:2: closes a circle of includes: engine/a -> engine/b -> include/bert/c -> "
                          "engine/a"));
  EXPECT_EQ(check_include_circles(circle, {"engine/b.h includes include/bert/c.h"}), Findings());
  EXPECT_TRUE(one_finding(check_include_circles({}, {"engine/b.h includes include/bert/c.h"}),
                          "is an exception that is not there"));
}

TEST(IncludeCircles, AreNoneWhereTwoFilesIncludeAThird) {
  EXPECT_EQ(
      check_include_circles({including("engine/a.cc", "\"engine/a.h\""), including("engine/a.h", "\"engine/c.h\""),
                             including("engine/b.cc", "\"engine/a.h\""), including("engine/b.h", "\"engine/c.h\""),
                             including("engine/c.h", "<vector>")},
                            {}),
      Findings());
}

TEST(CoreHeaders, AreAllThatTheCoreIncludes) {
  const std::set<std::string> core = {"include/bert/model.h", "include/bert/config.h"};
  for (const char* path : {"engine/base/a.cc", "models/model/a.h", "include/bert/model.h"}) {
    EXPECT_EQ(check_core_headers(including(path, "\"bert/config.h\""), core), Findings());
    EXPECT_TRUE(one_finding(check_core_headers(including(path, "\"bert/tasks.h\""), core),
                            ":2: the core includes bert/tasks.h, which is none of its headers"));
  }
  for (const char* path : {"tasks/heads/a.cc", "include/bert/tasks.h"}) {
    EXPECT_EQ(check_core_headers(including(path, "\"bert/tasks.h\""), core), Findings());
  }
}

TEST(SymbolRule, RefusesWhatStandsAboveOrBeside) {
  const FolderSymbols base = {"engine/base", {"read()"}, {}};
  const FolderSymbols checkpoint = {"engine/checkpoint", {"load()"}, {"read()"}};
  const FolderSymbols models = {"models/config", {"families()"}, {"load()"}};
  EXPECT_EQ(check_symbols({base, checkpoint, models}), Findings());
  EXPECT_EQ(check_symbols({models, {"tokenizer", {}, {"families()"}}}),
            Findings{"tokenizer: may not use families() of models/config"});
  EXPECT_EQ(check_symbols({checkpoint, {"engine/layers", {}, {"load()"}}}),
            Findings{"engine/layers: may not use load() of engine/checkpoint"});
  EXPECT_EQ(check_symbols({checkpoint, {"engine/base", {}, {"load()"}}}),
            Findings{"engine/base: may not use load() of engine/checkpoint"});
  EXPECT_EQ(check_symbols({{"elsewhere", {}, {}}}), Findings{"elsewhere: is not named by the folder rule"});
}

TEST(SymbolRule, AllowsWhatIsDefinedBelowTooAndWhatTheSystemDefines) {
  const FolderSymbols models = {"models/model", {"inline_function()"}, {}};
  const FolderSymbols base = {"engine/base", {"inline_function()"}, {"malloc"}};
  EXPECT_EQ(check_symbols({models, base, {"tokenizer", {}, {"inline_function()", "free"}}}), Findings());
}

TEST(SymbolRule, AllowsTheListsThatTheBuildMakes) {
  const FolderSymbols families = {"models/families", {"bert::x_family"}, {}};
  const FolderSymbols forms = {"tasks/labels", {"bert::listed_forms()"}, {}};
  EXPECT_EQ(check_symbols({families, forms, {"models/config", {}, {"bert::x_family"}}}), Findings());
  EXPECT_EQ(check_symbols({families, forms, {"models/model", {}, {"bert::listed_forms()"}}}), Findings());
  EXPECT_EQ(check_symbols({forms, {"models/pipeline", {}, {"bert::listed_forms()"}}}),
            Findings{"models/pipeline: may not use bert::listed_forms() of tasks/labels"});
}

TEST(IncludeRule, RefusesAFolderThatItDoesNotName) {
  EXPECT_TRUE(one_finding(check_includes({"engine/misc/a.cc", ""}), "does not name"));
}

TEST(IsaIncludeRule, FindsALibraryHeaderThroughAnotherFile) {
  const Findings findings = check_isa_includes({
      including("engine/kernels/isa/avx2.cc", "\"engine/kernels/tile.h\""),
      including("engine/kernels/tile.h", "<vector>"),
      including("engine/kernels/dispatch.cc", "<vector>"),
  });
  EXPECT_TRUE(one_finding(findings, "engine/kernels/tile.h:2: <vector> reaches engine/kernels/isa/avx2.cc"));
}

TEST(IsaIncludeRule, AllowsIntrinsicsAndPlainTypes) {
  EXPECT_EQ(check_isa_includes({including("engine/kernels/isa/avx2.cc", "<immintrin.h>"),
                                including("engine/kernels/isa/avx512.cc", "<cstdint>")}),
            Findings());
}

TEST(FamilyNames, AreFoundInAnyCaseWhereTheyMayNotBe) {
  for (const char* path : {"engine/layers/a.cc", "tokenizer/a.h", "program/cli/a.cc"}) {
    EXPECT_TRUE(one_finding(check_family_names({path, "\n// as RoBERTa does\n"}), ":2: names the family 'RoBERTa'"));
  }
  EXPECT_EQ(check_family_names({"models/families/roberta.cc", "roberta\n"}), Findings());
  EXPECT_EQ(check_family_names({"engine/A.md", "roberta\n"}), Findings());
  EXPECT_EQ(check_family_names({"engine/layers/a.cc", "// BERT's pooler\n"}), Findings());
}

TEST(Mirror, FindsASourceWithoutTestAndAnExceptionWithoutNeed) {
  EXPECT_TRUE(one_finding(check_mirror({"engine/base/a.cc", "engine/base/b.cc", "tests/engine/base/a_test.cc"}, {}),
                          "engine/base/b.cc:1: has no tests/engine/base/b_test.cc"));
  EXPECT_EQ(check_mirror({"program/cli/main.cc", "tools/bench/main.cc"}, {"program/cli/main.cc"}), Findings());
  EXPECT_TRUE(
      one_finding(check_mirror({"models/a.cc", "tests/models/a_test.cc"}, {"models/a.cc"}), "exception without need"));
  EXPECT_TRUE(one_finding(check_mirror({}, {"models/gone.cc"}), "exception without need"));
  EXPECT_TRUE(one_finding(check_mirror({"tests/models/b_test.cc"}, {}), "there is no models/b.cc"));
  EXPECT_EQ(check_mirror({"tests/models/b_test.cc", "models/b.h", "tests/tools/c_test.cc"}, {}), Findings());
}

TEST(Links, FindsWhatLeadsNowhere) {
  const SourceFile page = {"docs/A.md",
                           "[a](B.md) [b](../README.md#x) [c](../tools) [d](https://example.com/x) [e](#top)\n"
                           "```\nlambda[](missing.md)\n```\n[f](C.md#y)\n"};
  EXPECT_TRUE(one_finding(check_links(page, {"docs/A.md", "docs/B.md", "README.md", "tools/test.sh"}),
                          "docs/A.md:5: links to C.md, which is not there"));
}

TEST(FolderTable, SaysWhatTheRuleDoes) {
  const Findings findings = check_folder_table({"docs/A.md",
                                                "| folder | may include | holds |\n"
                                                "| `engine/tensor/` | engine/base | views |\n"
                                                "| `engine/layers/` | engine/base | layers |\n"
                                                "| `attic/` | | what was |\n"});
  const auto with = [&](const std::string& part) {
    return std::count_if(findings.begin(), findings.end(),
                         [&](const std::string& finding) { return finding.find(part) != std::string::npos; });
  };
  EXPECT_EQ(with("docs/A.md:3: says of engine/layers what the rule does not"), 1);
  EXPECT_EQ(with("docs/A.md:4: has a row for attic, which no rule names"), 1);
  EXPECT_EQ(with("docs/A.md:1: has no row for tasks/labels"), 1);
  EXPECT_EQ(with("engine/tensor"), 0);
}

TEST(NamesInPages, AreThoseOfTheSources) {
  const std::vector<SourceFile> files = {
      {"engine/a.h", "class BERT_API Layer {\n  int width;\n};\nenum class Kind { kPlain };\n"},
      {"engine/b.h", "struct Other {\n  Layer& layer;\n  int height;\n};\n"}};
  const SourceNames names(files);
  const std::set<std::string> paths = {"docs/A.md", "engine/a.h"};
  const SourceFile good = {"docs/A.md",
                           "`engine/a.h` `engine/` `Layer::width` `bert::Kind::kPlain` `std::move` `build/x` `any/x`\n"
                           "```\n`engine/missing.h`\n```\n"};
  EXPECT_EQ(check_names_of_sources(good, paths, names), Findings());
  EXPECT_TRUE(one_finding(check_names_of_sources({"docs/A.md", "\n`engine/b.cc`\n"}, paths, names),
                          "docs/A.md:2: names engine/b.cc, which is not there"));
  for (const char* name : {"Layer::height", "Attic::width"}) {
    EXPECT_TRUE(one_finding(check_names_of_sources({"docs/A.md", "`" + std::string(name) + "`\n"}, paths, names),
                            std::string("names ") + name + ", which no source has"));
  }
}

TEST(LineLengths, CountCharactersOfProseAndScripts) {
  const std::string most(120, 'a'), wide = most + "a";
  const std::string page = most + "\n| " + wide + "\n```\n" + wide + "\n```\n";
  EXPECT_EQ(check_line_lengths({"docs/A.md", page}), Findings());
  EXPECT_TRUE(one_finding(check_line_lengths({"docs/A.md", page + wide + "\n"}), "docs/A.md:6: 121 columns"));
  std::string letters;
  for (int i = 0; i < 120; ++i) letters += "é";
  EXPECT_EQ(check_line_lengths({"README.md", letters}), Findings());
  for (const char* path : {"tools/a.py", "tools/a.sh", ".ci/run"}) {
    EXPECT_TRUE(one_finding(check_line_lengths({path, "\n" + wide + "\n"}), ":2: 121 columns")) << path;
  }
  EXPECT_TRUE(one_finding(check_line_lengths({"CMakeLists.txt", wide + "\n  # " + most + "\n"}), ":2: 124 columns"));
  EXPECT_EQ(check_line_lengths({"engine/a.cc", wide}), Findings());
}

TEST(UsingDeclarations, NameWhatTheFileUses) {
  EXPECT_TRUE(one_finding(check_using_declarations({"a.cc", "using a::b::c;\nint cc;\n"}), "a.cc:1: nothing uses c"));
  EXPECT_EQ(check_using_declarations({"a.cc", "using a::b;\nb x;\n"}), Findings());
  EXPECT_EQ(check_using_declarations({"a.h", "struct E : R {\n  using std::R::R;\n};\n"}), Findings());
}

TEST(PathStrings, AreUtf8) {
  const std::string call = "f(folder_path.filename().string());\n";
  EXPECT_TRUE(one_finding(check_path_strings({"engine/a.cc", "int a;\n" + call}), "engine/a.cc:2: calls string()"));
  EXPECT_TRUE(one_finding(check_path_strings({"tasks/a.h", "f(path.string());"}), "tasks/a.h:1: "));
  EXPECT_EQ(check_path_strings({"engine/base/posix/a.cc", call}), Findings());
  EXPECT_EQ(check_path_strings({"program/a.cc", call}), Findings());
  EXPECT_EQ(check_path_strings({"engine/a.cc", "f(json.string());\nf(utf8(path));\n"}), Findings());
}

TEST(MachinePaths, AreFound) {
  EXPECT_TRUE(
      one_finding(check_machine_paths({"README.md", std::string("see\n/ho") + "me/someone/model"}), "README.md:2: "));
  EXPECT_EQ(check_machine_paths({"README.md", "/usr/lib, ~/.cache/huggingface"}), Findings());
}

TEST(KindRule, RefusesEmptyFilesAndThoseOfNoKind) {
  EXPECT_TRUE(one_finding(check_kind("a.out", false), "a.out:1: is of no kind"));
  EXPECT_TRUE(one_finding(check_kind("tools/build", false), "tools/build:1: is of no kind"));
  EXPECT_TRUE(one_finding(check_kind("engine/a.cc", true), "engine/a.cc:1: is empty"));
  EXPECT_EQ(check_kind("engine/a.cc", false), Findings());
  EXPECT_EQ(check_kind("packaging/docker/Dockerfile", false), Findings());
  EXPECT_EQ(check_kind("tools/builtin_model/__init__.py", true), Findings());
}

TEST(FileLengthRule, RefusesALongSourceThatIsNoException) {
  const auto lines = [](const std::string& path, size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += "// A line.\n";
    return SourceFile{path, text};
  };
  EXPECT_EQ(
      check_file_lengths({lines("models/model/a.cc", 400), lines("docs/A.md", 401), lines("tests/a.cc", 401)}, {}),
      Findings());
  EXPECT_TRUE(
      one_finding(check_file_lengths({lines("models/model/a.cc", 401)}, {}), "models/model/a.cc:401: has 401 lines"));
  EXPECT_EQ(check_file_lengths({lines("tokenizer/tables.cc", 401)}, {"tokenizer/tables.cc"}), Findings());
  EXPECT_TRUE(one_finding(check_file_lengths({}, {"tokenizer/tables.cc"}), "is an exception that is not there"));
}

}  // namespace
}  // namespace bert::lint
