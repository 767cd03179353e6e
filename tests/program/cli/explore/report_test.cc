// Tests features of all research commands.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

TEST(Report, ReportsTruncation) {
  const ProgramResult result = run_program({"explain", "--max-length", "4", "a dog and a cat"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "bert-infer: note: the text was too long and was truncated: 3 tokens removed\n");
}

TEST(Report, RefusesATextTooLongForAPage) {
  const TemporaryDirectory folder;
  std::string text;
  for (int i = 0; i < 70; ++i) text += "dog ";
  const std::string page = (folder.path() / "page.html").string();
  const ProgramResult result = run_program({"attention", "--html", page, text});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("--html draws at most 64 tokens, the text has 72"), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_FALSE(std::filesystem::exists(page));
  EXPECT_EQ(run_program({"attention", text}).status, 0);
}

TEST(Report, NamesAModelWithoutItsPath) {
  const TemporaryDirectory cache;
  const std::filesystem::path snapshot = cache.path() / "models--some--model" / "snapshots" / "0123abcd";
  std::filesystem::create_directories(snapshot);
  cache.write("models--some--model/snapshots/0123abcd/config.json", R"({"model_type": "eurobert"})");
  for (const auto& [directory, name] :
       {std::pair{snapshot, "some/model"}, {snapshot / ".." / "0123abcd" / "", "some/model"}}) {
    const std::string page = (cache.path() / "page.html").string();
    ASSERT_EQ(run_program({"positions", "--model", directory.string(), "--html", page}).status, 0);
    EXPECT_NE(read_file(page).find("<p class=\"lead\">" + std::string(name) + "</p>"), std::string::npos);
  }
  std::filesystem::rename(snapshot, cache.path() / "model");
  const std::string page = (cache.path() / "page.html").string();
  ASSERT_EQ(run_program({"positions", "--model", (cache.path() / "model").string(), "--html", page}).status, 0);
  EXPECT_NE(read_file(page).find("<p class=\"lead\">model</p>"), std::string::npos);
}

TEST(Report, RefusesOneFileForPageAndResult) {
  const TemporaryDirectory folder;
  const std::string same = (folder.path() / "same").string();
  const std::string spelled = folder.path().string() + "/../" + folder.path().filename().string() + "/./same";
  const auto refuses = [](const std::vector<std::string>& arguments, const std::string& says) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(says), std::string::npos) << result.err;
  };
  for (const std::vector<std::string>& asked : {std::vector<std::string>{"explain", "a"},
                                                {"attention", "a"},
                                                {"order", "a"},
                                                {"segments", "a", "b"},
                                                {"positions"},
                                                {"probe", "/nowhere"}}) {
    std::vector<std::string> arguments = asked;
    arguments.insert(arguments.begin() + 1, {"--output", same, "--html", spelled});
    refuses(arguments, "--html '" + spelled + "' is the file of --output too, expected another file");
  }
  EXPECT_FALSE(std::filesystem::exists(same));
  write_file(folder, "same", "mine");
  std::filesystem::create_symlink(same, folder.path() / "link");
  refuses({"explain", "--output", same, "--html", (folder.path() / "link").string(), "a"}, "expected another file");
  for (const char* name : {"-", "/dev/stdout"}) {
    refuses({"explain", "--html", name, "a"},
            "--html '" + std::string(name) + "': expected a file's name; the result goes to standard output");
  }
  const ProgramResult page = run_program({"explain", "--output", same, "--html", "-", "a"});
  EXPECT_EQ(page.status, 0) << page.err;
  EXPECT_TRUE(page.out.starts_with("<!DOCTYPE html>"));
}

TEST(Report, RefusesInvalidUtf8) {
  const ProgramResult result = run_program({"explain", "a \xff"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("UTF-8"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace bert::test
