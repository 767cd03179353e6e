// Each rule finds what is wrong in small made-up trees, and nothing in right ones.
#include "tests/lint/rules.h"

#include <gtest/gtest.h>

namespace bert::lint {
namespace {

// One finding, and it says `part`.
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
      including("models/model/a.cc", "\"tools/cli/b.h\""),
      including("models/encoder/a.cc", "\"models/sentence/b.h\""),
      including("models/config/a.h", "\"models/families/b.h\""),
      including("models/model/a.cc", "\"models/pipeline/b.h\""),
      including("tools/cli/a.cc", "\"engine/base/b.h\""),
      including("tools/cli/a.cc", "\"tools/bench/b.h\""),
      including("tools/cli/a.cc", "\"tools/server/scheduler.h\""),
      including("tools/server/a.cc", "\"tools/cli/b.h\""),
      including("tools/common/a.cc", "\"tools/cli/b.h\""),
      including("tools/drawings/a.cc", "\"tools/cli/b.h\""),
      including("analysis/a.cc", "\"bert/model.h\""),
      including("models/model/a.cc", "\"analysis/b.h\""),
      including("tools/bench/a.cc", "\"models/model/b.h\""),
      including("include/bert/a.h", "\"models/model/b.h\""),
      including("include/bert/a.h", "<nlohmann/json.hpp>"),
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
      including("models/research/a.cc", "\"analysis/b.h\""),
      including("tools/cli/a.cc", "\"bert/model.h\""),
      including("tools/cli/a.cc", "<CLI/CLI.hpp>"),
      including("tools/cli/commands/serve.cc", "\"tools/server/serve.h\""),
      including("tools/server/a.cc", "\"tools/common/b.h\""),
      including("tools/cli/a.cc", "\"analysis/b.h\""),
      including("tools/bench/a.cc", "\"engine/kernels/b.h\""),
      including("tools/bench/a.cc", "\"made_by_the_build.inc\""),
      including("include/bert/a.h", "\"bert/b.h\""),
      including("include/bert/a.h", "<string_view>"),
      including("tests/models/a_test.cc", "\"engine/kernels/b.h\""),
  };
  for (const SourceFile& file : good) EXPECT_EQ(check_includes(file), Findings()) << file.path;
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
  for (const char* path : {"engine/layers/a.cc", "tokenizer/a.h", "tools/cli/a.cc"}) {
    EXPECT_TRUE(one_finding(check_family_names({path, "\n// as RoBERTa does\n"}), ":2: names the family 'RoBERTa'"));
  }
  EXPECT_EQ(check_family_names({"models/families/roberta.cc", "roberta\n"}), Findings());
  EXPECT_EQ(check_family_names({"engine/layers/a.cc", "// BERT's pooler\n"}), Findings());
}

TEST(Mirror, FindsASourceWithoutTestAndAnExceptionWithoutNeed) {
  EXPECT_TRUE(one_finding(check_mirror({"engine/base/a.cc", "engine/base/b.cc", "tests/engine/base/a_test.cc"}, {}),
                          "engine/base/b.cc:1: has no tests/engine/base/b_test.cc"));
  EXPECT_EQ(check_mirror({"tools/cli/main.cc", "tools/bench/main.cc"}, {"tools/cli/main.cc"}), Findings());
  EXPECT_TRUE(
      one_finding(check_mirror({"models/a.cc", "tests/models/a_test.cc"}, {"models/a.cc"}), "exception without need"));
  EXPECT_TRUE(one_finding(check_mirror({}, {"models/gone.cc"}), "exception without need"));
}

TEST(Links, FindsWhatLeadsNowhere) {
  const SourceFile page = {"docs/A.md",
                           "[a](B.md) [b](../README.md#x) [c](../tools) [d](https://example.com/x) [e](#top)\n"
                           "```\nlambda[](missing.md)\n```\n[f](C.md#y)\n"};
  EXPECT_TRUE(one_finding(check_links(page, {"docs/A.md", "docs/B.md", "README.md", "tools/test.sh"}),
                          "docs/A.md:5: links to C.md, which is not there"));
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
