// Tests embed --resume: runs that are killed at many moments, and options that may not differ. BERT_TEST_KILLS sets the
// number of kills.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "bert/quantize.h"
#include "tests/program/cli/program.h"
#include "tests/support/sanitizers.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

class LongRun : public ::testing::Test {
 protected:
  void SetUp() override {
    write_tiny_model(model_);
    std::string lines;
    for (int i = 0; i < 6000; ++i) lines += i % 1000 == 7 ? "\xff\n" : std::string(1 + i % 17, 'a') + " dog the cat\n";
    input_ = write_file(folder_, "input.txt", lines);
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  // Returns the command line of a run that writes `output`, whose suffix is the format.
  std::vector<std::string> command(const std::string& output, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"embed",    "--model",   model_.path().string(),
                                      "--input",  input_,      "--threads",
                                      "1",        "--format",  output.substr(output.find('.') + 1),
                                      "--output", path(output)};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // Kills the run when its journal has its first entry.
  void interrupt(const std::string& output) const {
    OpenProgram program(command(output, {"--resume"}));
    const auto entries = [&] { return fs::exists(path(output + ".journal")) ? journal(output).size() : 0; };
    for (int i = 0; i < 60000 && entries() < 2 && !fs::exists(path(output)); ++i) program.read_line(milliseconds(1));
    program.end(SIGKILL);
    ASSERT_TRUE(fs::exists(path(output + ".unfinished"))) << "the run ended before it was killed";
    ASSERT_GE(entries(), 2u);
  }

  std::vector<std::string> journal(const std::string& output) const {
    return lines_of(read_file(path(output + ".journal")));
  }

  // Expects that the run is refused with this message and does not change what the earlier run wrote.
  void expect_refused(const std::string& output, const std::vector<std::string>& words, const std::string& message) {
    const std::string before = read_file(path(output + ".journal"));
    const ProgramResult result = run_program(words);
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
    EXPECT_EQ(lines_of(result.err).size(), 1u) << result.err;
    EXPECT_EQ(read_file(path(output + ".journal")), before);
    EXPECT_TRUE(fs::exists(path(output + ".unfinished")));
  }

  TemporaryDirectory folder_, model_;
  std::string input_;
};

// The message after a signal names the last line in the journal, and the next run continues after that line.
TEST_F(LongRun, LosesNothingToASignalThatCanWait) {
  EXPECT_EQ(run_program(command("whole.npy")).status, 1);
  const std::string expected = read_file(path("whole.npy"));
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    OpenProgram program(command("out.npy", {"--resume"}));
    for (int i = 0; i < 60000 && (!fs::exists(path("out.npy.journal")) || journal("out.npy").size() < 2); ++i) {
      program.read_line(milliseconds(1));
    }
    const ProgramResult ended = program.end(signal);
    EXPECT_EQ(ended.status, 128 + signal);
    const std::string marker = " after line ",
                      rest = "; run the same command again to go on; what was written before is in ";
    const size_t begin = ended.err.find(marker), end = ended.err.find(rest);
    ASSERT_NE(begin, std::string::npos) << ended.err;
    ASSERT_NE(end, std::string::npos) << ended.err;
    const std::string line = ended.err.substr(begin, end - begin);
    std::string digits = line.substr(marker.size());
    digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
    EXPECT_EQ(nlohmann::json::parse(journal("out.npy").back())["lines"], std::stoul(digits));
    const ProgramResult resumed = run_program(command("out.npy", {"--resume"}));
    EXPECT_NE(resumed.err.find("goes on" + line + " of "), std::string::npos) << resumed.err;
    EXPECT_TRUE(read_file(path("out.npy")) == expected);
    fs::remove(path("out.npy"));
  }
}

// Returns the number of rows in the header of a float32 matrix. Expects that the file has as many.
size_t rows_of_npy(const std::string& path) {
  const std::string file = read_file(path), begin = "'shape': (";
  const size_t at = file.find(begin) + begin.size(), comma = file.find(", ", at), end = file.find('\n');
  const size_t rows = std::stoul(file.substr(at, comma - at)), columns = std::stoul(file.substr(comma + 2));
  EXPECT_EQ(file.size(), end + 1 + rows * columns * sizeof(float));
  return rows;
}

// Without --resume, a signal leaves a file of complete results that readers of the format accept, and a message that
// says how to continue.
TEST_F(LongRun, ThatCannotBeResumedLeavesAFileThatCanBeRead) {
  const struct {
    const char* output;
    bool can_resume;
    std::function<size_t(const std::string& partial)> results;
  } formats[] = {
      {"out.jsonl", true,
       [](const std::string& partial) {
         size_t results = 0;
         for (const std::string& line : lines_of(read_file(partial))) results += nlohmann::json::parse(line).size() > 0;
         return results;
       }},
      {"out.npy", true, rows_of_npy},
      {"out.json", false, [](const std::string& partial) { return nlohmann::json::parse(read_file(partial)).size(); }},
      {"out.csv", false, [](const std::string& partial) { return lines_of(read_file(partial)).size() - 1; }},
  };
  for (const auto& [output, can_resume, results] : formats) {
    const std::string partial = path(output) + ".partial";
    OpenProgram program(command(output));
    std::error_code none;
    for (int i = 0; i < 60000 && (!fs::exists(partial) || fs::file_size(partial, none) < 5000); ++i) {
      program.read_line(milliseconds(1));
    }
    const ProgramResult ended = program.end(SIGINT);
    ASSERT_EQ(ended.status, 128 + SIGINT) << ended.err;
    const std::string marker = "error: interrupted after line ";
    const size_t begin = ended.err.find(marker);
    ASSERT_NE(begin, std::string::npos) << ended.err;
    std::string digits;
    for (const char c : ended.err.substr(begin + marker.size(), 6)) {
      if (c >= '0' && c <= '9') digits += c;
      if (c != ',' && (c < '0' || c > '9')) break;
    }
    EXPECT_EQ(results(partial), std::stoul(digits)) << output;
    const std::string hint =
        "; this run cannot be resumed, use --resume next time; what was written before is in '" + partial + "'\n";
    EXPECT_EQ(ended.err.ends_with(hint), can_resume) << ended.err;
    EXPECT_TRUE(ended.err.ends_with("; what was written before is in '" + partial + "'\n")) << ended.err;
    EXPECT_FALSE(fs::exists(path(output)));
  }
}

TEST_F(LongRun, GoesOnWithRecordsOfSeveralLines) {
  std::string records = "id,text\n";
  for (int i = 0; i < 6000; ++i)
    records += std::to_string(i) + ",\"a dog,\n" + std::string(1 + i % 17, 'a') + "\ncat\"\n";
  input_ = write_file(folder_, "input.csv", records);
  EXPECT_EQ(run_program(command("whole.jsonl")).status, 0);
  interrupt("out.jsonl");
  const ProgramResult resumed = run_program(command("out.jsonl", {"--resume"}));
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("goes on after line "), std::string::npos) << resumed.err;
  EXPECT_TRUE(read_file(path("out.jsonl")) == read_file(path("whole.jsonl")));
}

int kills() {
  const char* number = std::getenv("BERT_TEST_KILLS");
  constexpr int kKills = BERT_SANITIZED ? 4 : 20;  // each starts two processes, slowly under a sanitizer
  return number == nullptr ? kKills : std::atoi(number);
}

TEST_F(LongRun, HasTheSameBytesAfterAKillAtAnyInstant) {
  const std::vector<std::string> outputs = {"out.npy", "out.jsonl", "out.safetensors", "out.text"};
  std::map<std::string, std::string> expected;
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& output : outputs) {
    EXPECT_EQ(run_program(command(output)).status, 1);  // 6 of the 6,000 lines are not UTF-8
    expected[output] = read_file(path(output));
    fs::remove(path(output));
  }
  const auto run = (std::chrono::steady_clock::now() - begin) / outputs.size();
  for (int kill = 0; kill < kills(); ++kill) {
    const std::string& output = outputs[static_cast<size_t>(kill) % outputs.size()];
    OpenProgram program(command(output, {"--resume"}));
    // The golden ratio spreads the moments of the kills over the run.
    const double part = std::fmod(0.618 * (kill + 1), 1);
    program.read_line(std::chrono::duration_cast<milliseconds>(part * run));
    program.end(SIGKILL);
    const ProgramResult resumed = run_program(command(output, {"--resume"}));
    EXPECT_EQ(resumed.status, 1) << resumed.err;
    // On a busy machine the first run may have written everything before the kill.
    EXPECT_TRUE(resumed.err.find("6 of 6,000 texts failed") != std::string::npos ||
                resumed.err.find("the output was complete") != std::string::npos)
        << resumed.err;
    ASSERT_TRUE(read_file(path(output)) == expected[output]) << "after kill " << kill << " of " << output;
    for (const char* rest : {".unfinished", ".journal"}) EXPECT_FALSE(fs::exists(path(output + rest))) << rest;
    fs::remove(path(output));
  }
}

TEST_F(LongRun, GoesOnAfterTheJournalsLastWholeLine) {
  interrupt("out.npy");
  const size_t entries = journal("out.npy").size();
  std::ofstream(path("out.npy.journal"), std::ios::app) << R"({"lines":3072,"inp)";
  std::ofstream(path("out.npy.unfinished"), std::ios::app) << "the beginning of a row";
  ASSERT_EQ(journal("out.npy").size(), entries + 1);
  run_program(command("out.npy", {"--resume"}));
  run_program(command("whole.npy"));
  EXPECT_TRUE(read_file(path("out.npy")) == read_file(path("whole.npy")));
}

TEST_F(LongRun, RefusesAnotherModelInputOrOption) {
  interrupt("out.npy");
  const std::vector<std::string> resume = command("out.npy", {"--resume"});
  expect_refused("out.npy", command("out.npy", {"--resume", "--pooling", "cls"}),
                 R"(is of another run: options/--pooling was none and is now "cls")");
  expect_refused("out.npy", command("out.npy", {"--resume", "--shard", "1/2"}), "is of another run: input/end was ");

  const std::string lines = read_file(input_);
  std::ofstream(input_) << "other" << lines.substr(5);
  expect_refused("out.npy", resume, "'" + input_ + "' has changed in lines 1 to 1024 since the run that ");
  std::ofstream(input_) << lines << "one more\n";
  expect_refused("out.npy", resume, "is of another run: input/bytes was " + std::to_string(lines.size()));
  std::ofstream(input_) << lines;

  const fs::path config = model_.path() / "config.json";
  const std::string settings = read_file(config);
  std::ofstream(config) << settings << "\n";
  expect_refused("out.npy", resume, "is of another run: model/config.json was ");
  std::ofstream(config) << settings;
  EXPECT_NE(run_program(resume).err.find("texts failed"), std::string::npos);
}

TEST_F(LongRun, RefusesDamagedFiles) {
  interrupt("out.text");
  const std::string journal_text = read_file(path("out.text.journal"));
  fs::resize_file(path("out.text.unfinished"), 100);
  expect_refused("out.text", command("out.text", {"--resume"}), "has 100 bytes, expected at least ");
  std::ofstream(path("out.text.journal")) << "not JSON\n" << journal_text;
  expect_refused("out.text", command("out.text", {"--resume"}), "is not the journal of a run");
  fs::remove(path("out.text.journal"));
  EXPECT_NE(run_program(command("out.text", {"--resume"})).err.find("it has no journal; remove it to begin again"),
            std::string::npos);
}

// A run that is killed just after the output gets its final name leaves such a journal.
TEST_F(LongRun, FinishesARunWhoseOutputIsComplete) {
  interrupt("out.npy");
  const auto last = nlohmann::json::parse(journal("out.npy").back());
  const std::string journal_text = read_file(path("out.npy.journal"));
  run_program(command("out.npy", {"--resume"}));
  const nlohmann::json summary = nlohmann::json::parse(read_file(path("out.npy.summary.json")));
  fs::remove(path("out.npy.summary.json"));
  nlohmann::json counts;
  for (const auto& [name, unused] : last["counts"].items()) counts[name] = summary[name];
  const nlohmann::json entry = {{"lines", 6000},
                                {"input_end", fs::file_size(input_)},
                                {"input_digest", file_sha256(input_, last["input_end"], fs::file_size(input_))},
                                {"output_bytes", fs::file_size(path("out.npy"))},
                                {"counts", counts},
                                {"seconds", 1.5},
                                {"digest", file_sha256(path("out.npy"))}};
  std::ofstream(path("out.npy.journal")) << journal_text << entry.dump() << "\n";
  const ProgramResult result = run_program(command("out.npy", {"--resume"}));
  EXPECT_NE(result.err.find("note: the output was complete\n"), std::string::npos) << result.err;
  EXPECT_FALSE(fs::exists(path("out.npy.journal")));
  EXPECT_EQ(nlohmann::json::parse(read_file(path("out.npy.summary.json")))["digest"], summary["digest"]);
}

TEST_F(LongRun, NeedsFilesThatCanBeReadAndWrittenAgain) {
  const auto expect_usage = [](const std::vector<std::string>& words, const std::string& message) {
    const ProgramResult result = run_program(words);
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.err, "bert-infer: error: " + message + "\n");
  };
  expect_usage({"embed", "--resume", "--input", input_}, "--resume needs an --output that is a file");
  expect_usage({"embed", "--shard", "1/2", "--output", "/dev/null", "--input", input_},
               "--shard needs an --output that is a file");
  expect_usage({"embed", "--resume", "--input", "-", "--output", path("x")},
               "--resume needs one --input that is a file");
  expect_usage({"embed", "--shard", "1/2", "--output", path("x"), "a dog"}, "--shard needs one --input that is a file");
  expect_usage({"embed", "--summary", "a dog"}, "--summary needs an --output that is a file");
  expect_usage(command("out.json", {"--resume"}),
               "--resume is not for --format json, which is one document; jsonl has the same objects");
}

}  // namespace
}  // namespace bert::test
