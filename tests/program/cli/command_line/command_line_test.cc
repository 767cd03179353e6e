// Tests which word of the command line is a command, an option or a text, and that wrong usage gives status 2 and one
// line.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

std::vector<std::string> tokens_of(const std::vector<std::string>& arguments) {
  return run_program(arguments).json()["tokens"];
}

TEST(CommandLine, EncodesWhereNoCommandIsNamed) {
  const ProgramResult named = run_program({"encode", "--format", "json", "a dog"});
  EXPECT_EQ(named.status, 0);
  EXPECT_EQ(run_program({"--format", "json", "a dog"}).out, named.out);
}

TEST(CommandLine, FindsTheCommandBehindOptions) {
  EXPECT_EQ(run_program({"--format", "ids", "tokenize", "a dog"}).out,
            run_program({"tokenize", "--format=ids", "a dog"}).out);
}

// The program finds the command after its options, because it knows for the options of all commands which take a value.
TEST(CommandLine, FindsTheCommandBehindOptionsOfItsOwn) {
  EXPECT_EQ(run_program({"--top-k", "1", "fill-mask", "a [MASK]"}).out,
            run_program({"fill-mask", "--top-k=1", "a [MASK]"}).out);
  expect_usage_error({"--top-k", "1", "tokenize", "a dog"}, "the command tokenize has no option --top-k");
}

TEST(CommandLine, TakesACommandsNameForATextAfterTwoDashes) {
  EXPECT_EQ(run_program({"--format", "json", "--", "inspect"}).json()["tokens"][1].get<std::string>().substr(0, 2),
            "in");
  EXPECT_EQ(run_program({"tokenize", "--format", "json", "--", "-x"}).json()["tokens"][1], "-");
}

TEST(CommandLine, TakesACommandsNameForATextWhereItIsNotTheFirstWord) {
  EXPECT_EQ(run_program({"tokenize", "--format", "jsonl", "a", "inspect"}).json_lines().size(), 2u);
}

TEST(CommandLine, TakesADashForStandardInput) {
  const std::string expected = run_program({"tokenize", "--format", "ids", "a dog"}).out;
  const ProgramInput input{.standard_input = "a dog\n"};
  EXPECT_EQ(run_program({"tokenize", "--format", "ids", "-"}, input).out, expected);
  EXPECT_EQ(run_program({"explain", "-"}, input).out, run_program({"explain", "a dog"}).out);
  EXPECT_EQ(run_program({"tokenize", "--format", "json", "--", "-"}, input).json()["tokens"][1], "-");
  expect_usage_error({"segments", "a dog", "-"}, "segments reads no standard input; the text '-' goes after --");
  expect_usage_error({"tokenize", "--input", "x.txt", "-"}, "both --input and -, which is standard input");
}

TEST(CommandLine, ReadsAPipeWhereThereIsNoText) {
  const ProgramInput input{.standard_input = "a dog\na cat\n"};
  EXPECT_EQ(run_program({"tokenize", "--format", "ids"}, input).out,
            run_program({"tokenize", "--format", "ids", "a dog", "a cat"}).out);
  EXPECT_EQ(run_program({"--format", "jsonl"}, input).json_lines().size(), 2u);
  EXPECT_EQ(run_program({"order"}, {.standard_input = "a dog\n"}).out, run_program({"order", "a dog"}).out);
}

TEST(CommandLine, RefusesSeveralLinesForACommandOfOneText) {
  const ProgramResult result = run_program({"explain"}, {.standard_input = "a dog\na cat\n"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "bert-infer: error: expected one line with a text in standard input, found more\n");
}

// run_program() gives the program /dev/null if the test gives no standard input.
TEST(CommandLine, ReadsNoDeviceWithoutBeingTold) {
  expect_usage_error({"embed"}, "no text: expected a TEXT, --input FILE, or lines on standard input");
  expect_usage_error({}, "no text: expected a TEXT, --input FILE, or lines on standard input");
}

TEST(CommandLine, TakesTheWordHelpForTheOption) {
  EXPECT_EQ(run_program({"help"}).out, run_program({"--help"}).out);
  EXPECT_EQ(run_program({"help", "order"}).out, run_program({"order", "--help"}).out);
  expect_usage_error({"help", "oder"}, "there is no command 'oder'; did you mean order?");
  expect_usage_error({"oder", "--help"}, "there is no command 'oder'; did you mean order?");
  expect_usage_error({"models", "--help"}, "there is no command 'models': --model DIR loads a model");
  EXPECT_EQ(run_program({"tokenize", "--format", "json", "help"}).json()["tokens"][1], "help");
}

TEST(CommandLine, TakesTheFormatFromTheOutputsName) {
  const TemporaryDirectory folder;
  const auto content = [&](const char* name, const std::vector<std::string>& more,
                           const std::map<std::string, std::string>& environment = {}) {
    std::vector<std::string> command = {"embed", "a dog", "--output", (folder.path() / name).string()};
    command.insert(command.end(), more.begin(), more.end());
    EXPECT_EQ(run_program(command, {.environment = environment}).err, "");
    return read_file(folder.path() / name);
  };
  EXPECT_EQ(content("a.npy", {}).substr(1, 5), "NUMPY");
  EXPECT_EQ(content("b.NPY", {}, {{"BERT_INFER_FORMAT", "json"}}).substr(1, 5), "NUMPY");
  EXPECT_EQ(content("a.json", {"--format", "json"}).front(), '{');
  EXPECT_EQ(content("a.txt", {"--format", "json"}).front(), '{');
  expect_usage_error({"embed", "a dog", "--output", "a.npy", "--format", "json"},
                     "--output 'a.npy' ends with .npy, but --format is json");
  expect_usage_error({"embed", "a dog", "--output", "a.npz"}, "--format npz is for --kind sparse");
  expect_usage_error({"tag", "a", "--output", "a.npz"}, "--output 'a.npz': the command does not write npz");
}

TEST(CommandLine, NotesAWordThatWasProbablyMeantAsACommand) {
  const ProgramResult result = run_program({"embedd"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "bert-infer: note: 'embedd' is encoded as a text; did you mean the command embed?\n");
  EXPECT_EQ(run_program({"embedd dogs"}).err, "");
  EXPECT_EQ(run_program({"encode", "embedd"}).err, "");
  EXPECT_EQ(run_program({"--", "embedd"}).status, 0);
}

TEST(CommandLine, RefusesTextsAfterAWordThatWasProbablyMeantAsACommand) {
  expect_usage_error({"simlarity", "a", "b"}, "there is no command 'simlarity'; did you mean similarity?");
  EXPECT_EQ(run_program({"--", "simlarity", "a"}).err, "");
  EXPECT_EQ(run_program({"embed", "simlarity", "a"}).err, "");
}

TEST(CommandLine, TakesShortNames) {
  const TemporaryDirectory folder;
  const std::string lines = write_file(folder, "lines.txt", "a dog\n"), vectors = folder.path() / "v.npy";
  EXPECT_EQ(run_program({"embed", "-i", lines, "-o", vectors}).err, "");
  EXPECT_EQ(read_file(vectors).substr(1, 5), "NUMPY");
  expect_usage_error({"embed", "-m", "a", "--model", "b", "a dog"}, "--model is given 2 times, expected once");
  EXPECT_EQ(run_program({"fill-mask", "--top=1", "a [MASK]"}).out,
            run_program({"fill-mask", "--top-k", "1", "a [MASK]"}).out);
}

TEST(CommandLine, PrintsOnlyErrorsIfQuiet) {
  EXPECT_EQ(run_program({"embed", "-q", "--input", "-"}).err, "");
  EXPECT_NE(run_program({"embed", "--input", "-"}).err, "");
  const ProgramResult failed = run_program({"embed", "-q", "\xff"});
  EXPECT_EQ(failed.status, 1);
  EXPECT_TRUE(failed.err.starts_with("bert-infer: error: ")) << failed.err;
  expect_usage_error({"embed", "-q", "--verbose", "a"}, "--quiet");
}

TEST(CommandLine, NotesATextThatIsTheNameOfAFile) {
  const TemporaryDirectory folder;
  const std::string path = write_file(folder, "lines.txt", "a dog\n");
  EXPECT_EQ(run_program({"embed", path}).err,
            "bert-infer: note: '" + path + "' is read as a text, though there is such a file (--input reads it)\n");
  EXPECT_EQ(run_program({"embed", folder.path().string()}).err, "");
}

TEST(CommandLine, SuggestsOptionsAndVariables) {
  expect_usage_error({"embed", "--nomalize", "a"}, "unknown option '--nomalize'; did you mean --normalize?");
  expect_usage_error({"embed", "--frobnicate", "a"}, "options are in bert-infer --help");
  EXPECT_EQ(run_program({"embed", "a"}, {.environment = {{"BERT_INFER_FROMAT", "json"}}}).err,
            "bert-infer: note: the environment's 'BERT_INFER_FROMAT' is not read; did you mean BERT_INFER_FORMAT?\n");
  EXPECT_EQ(run_program({"embed", "a"}, {.environment = {{"BERT_INFER_SERVICE_PORT", "80"}}}).err, "");
}

TEST(CommandLine, LeavesBracketsInTextsAlone) {
  const std::vector<std::string> expected = {"[CLS]", "[MASK]", "[SEP]"};
  EXPECT_EQ(tokens_of({"tokenize", "--format", "json", "[MASK]"}), expected);
  EXPECT_EQ(run_program({"tokenize", "--format", "json", "--pair", "[a,b]", "c"}).json()["tokens"].size(), 9u);
}

TEST(CommandLine, KeepsAnEmptyText) {
  EXPECT_EQ(tokens_of({"tokenize", "--format", "json", ""}), (std::vector<std::string>{"[CLS]", "[SEP]"}));
}

TEST(CommandLine, WantsSomethingToDo) {
  expect_usage_error({}, "no text");
  expect_usage_error({"embed"}, "bert-infer help)");
}

TEST(CommandLine, RefusesUnknownOptions) {
  expect_usage_error({"--nonsense", "a"}, "'--nonsense'");
  expect_usage_error({"-x"}, "goes after --");
}

TEST(CommandLine, ShowsTheEndsOfALongUnknownOption) {
  const ProgramResult result = run_program({"embed", "--" + std::string(100'000, 'x'), "a"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("unknown option '--xxx"), std::string::npos);
  EXPECT_NE(result.err.find("xxx' (a text that begins with - goes after --; options are in"), std::string::npos);
  EXPECT_LT(result.err.size(), 3000u);
}

TEST(CommandLine, RefusesAnOptionOfAnotherCommand) {
  expect_usage_error({"embed", "--layers", "a"}, "embed has no option --layers");
}

TEST(CommandLine, RefusesAnOptionWithoutItsValue) { expect_usage_error({"a", "--model"}, "--model needs a value"); }

TEST(CommandLine, TakesWhatStandsBehindAnEqualsSignAsTheValueEvenIfItIsEmpty) {
  EXPECT_EQ(tokens_of({"tokenize", "--format", "json", "--pair=", "--split-special-tokens", "a [SEP]"}),
            tokens_of({"tokenize", "--format", "json", "--pair", "", "--split-special-tokens", "a [SEP]"}));
  expect_usage_error({"embed", "--model=", "--normalize", "a"}, "--model '': expected DIR");
  EXPECT_EQ(tokens_of({"tokenize", "--format=json", "--pair=a=b", "c"}),
            tokens_of({"tokenize", "--format=json", "--pair", "a=b", "c"}));
  EXPECT_EQ(run_program({"--completion=zsh"}).out, run_program({"--completion", "zsh"}).out);
  expect_usage_error({"--max-length=", "8", "a"}, "--max-length ''");
}

// Checks the rule of docs/OUTPUT.md for exit statuses: 2 if the command line is wrong for every model, 1 if only this
// model does not fit it.
TEST(CommandLine, EndsWith1WhereItIsTheModelThatDoesNotFit) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"embed", "--dimensions", "1000", "a"},
                                                    {"embed", "--prompt", "nosuch", "a"},
                                                    {"--cased", "a"},
                                                    {"--max-length", "1000", "a"},
                                                    {"fill-mask", "--target", "nosuch", "a [MASK]"},
                                                    {"classify", "a"}}) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 1) << arguments[1];
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(lines_of(result.err).size(), 1u) << result.err;
  }
}

TEST(CommandLine, PrintsTheVersion) {
  const ProgramResult result = run_program({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out.rfind("bert-infer ", 0), 0u);
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace bert::test
