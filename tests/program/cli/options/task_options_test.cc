#include "program/cli/options/task_options.h"

#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace bert::cli {
namespace {

class TaskOptions : public testing::Test {
 protected:
  // Reads a command line of a task's options.
  TaskSettings read(const char* task, std::vector<std::string> words,
                    std::initializer_list<std::string_view> own = {}) {
    CLI::App app;
    OptionTable table(app);
    table.begin_group("Options");
    TaskSettings settings(task);
    declare_task(table, settings, own);
    help_ = app.help();
    std::reverse(words.begin(), words.end());
    app.parse(std::move(words));
    return settings;
  }

  std::string help_;
};

TEST_F(TaskOptions, AreThoseOfTheDescription) {
  const TaskSettings given = read(
      "tag", {"--nested", "--threshold", "0.25", "--scheme", "bioes", "--names", "a,b", "--stride", "3"}, {"labels"});
  EXPECT_TRUE(given.flag("nested"));
  EXPECT_EQ(given.number("threshold"), 0.25);
  EXPECT_EQ(given.text("scheme"), "bioes");
  EXPECT_EQ(given.texts("names"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(given.size("stride"), 3u);
  EXPECT_EQ(help_.find("--labels"), std::string::npos);  // the command's own
  EXPECT_NE(help_.find("(default: simple)"), std::string::npos) << help_;
  EXPECT_EQ(read("fill_mask", {"--target", "a,b", "--target", "c"}).texts("targets"),
            (std::vector<std::string>{"a,b", "c"}));
  EXPECT_EQ(read("zero_shot", {"--template", "{}"}).text("hypothesis_template"), "{}");
}

TEST_F(TaskOptions, NameAWrongValue) {
  const auto error = [&](std::vector<std::string> words) -> std::string {
    try {
      read("tag", std::move(words));
    } catch (const ValueError& wrong) {
      return wrong.what();
    }
    return "none";
  };
  EXPECT_EQ(error({"--threshold", "2"}), "--threshold '2': expected a number from 0 to 1");
  EXPECT_EQ(error({"--threshold", "nan"}), "--threshold 'nan': expected a number from 0 to 1");
  EXPECT_EQ(error({"--stride", "-1"}), "--stride '-1': expected a whole number of at least 0");
  EXPECT_EQ(error({"--scheme", "x"}), "--scheme 'x': expected one of auto, iob, bioes, bilou");
  EXPECT_EQ(error({"--names", "a,"}), "--names 'a,': expected a list of texts");
}

TEST_F(TaskOptions, BelongTogether) {
  const auto error = [&](const TaskSettings& settings) -> std::string {
    try {
      check_task(settings, Options());
    } catch (const UsageError& wrong) {
      return wrong.what();
    }
    return "none";
  };
  EXPECT_EQ(error(read("tag", {"--nested"})), "--nested needs --labels");
  EXPECT_EQ(error(read("tag", {"--scheme", "iob", "--labels", "a"})), "--scheme is not for --labels");
  EXPECT_EQ(error(read("classify", {"--window-scores", "mean"})), "--window-scores needs --long-text windows");
  EXPECT_EQ(error(read("tag", {})), "none");
}

}  // namespace
}  // namespace bert::cli
