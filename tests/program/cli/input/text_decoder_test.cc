// Tests input that is not UTF-8: other encodings, and bytes that stand for no character.
#include "program/cli/input/text_decoder.h"

#include <gtest/gtest.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

using cli::InvalidBytes;
using cli::TextDecoder;
using cli::TextEncoding;

std::string decoded(std::string line, TextEncoding encoding, InvalidBytes invalid) {
  TextDecoder decoder(encoding, invalid);
  const auto problem = decoder.decode(line);
  return problem ? "problem: " + *problem : line;
}

TEST(TextDecoder, ReplacesEachIncompleteCharacterOnce) {
  // Tests the examples of the Unicode Standard, tables 3-8 and 3-11, and complete characters.
  const auto replaced = [](const std::string& line) {
    return decoded(line, TextEncoding::kUtf8, InvalidBytes::kReplace);
  };
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(replaced("a é 中 😀"), "a é 中 😀");
  EXPECT_EQ(replaced("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(replaced("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");
  EXPECT_EQ(replaced("\xED\xA0\x80"), r + r + r) << "a surrogate";
  EXPECT_EQ(replaced("\xF4\x90\x80\x80"), r + r + r + r) << "above U+10FFFF";
  EXPECT_EQ(replaced("caf\xE9"), "caf" + r);
  EXPECT_EQ(decoded("caf\xE9 a", TextEncoding::kUtf8, InvalidBytes::kSkip), "caf a");
  EXPECT_EQ(decoded("caf\xE9", TextEncoding::kUtf8, InvalidBytes::kFail), "caf\xE9");
}

TEST(TextDecoder, ReadsOtherEncodings) {
  EXPECT_EQ(decoded("caf\xE9 \x80", TextEncoding::kLatin1, InvalidBytes::kFail), "café \xC2\x80");
  EXPECT_EQ(decoded("caf\xE9 \x80 \x93x\x94", TextEncoding::kWindows1252, InvalidBytes::kFail), "café € “x”");
  EXPECT_EQ(decoded("a\x81", TextEncoding::kWindows1252, InvalidBytes::kFail),
            "problem: not valid windows-1252 at byte 1 of the line: found 0x81");
  EXPECT_EQ(decoded("a\x81", TextEncoding::kWindows1252, InvalidBytes::kReplace), "a\xEF\xBF\xBD");
  EXPECT_EQ(decoded("a\x81", TextEncoding::kWindows1252, InvalidBytes::kSkip), "a");
}

std::string embed(const std::string& text, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"embed", "--input", "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments, {.standard_input = text}).out;
}

TEST(TextDecoder, IsChosenOnTheCommandLine) {
  EXPECT_EQ(embed("caf\xE9\n", {"--encoding", "latin-1"}), embed("café\n"));
  EXPECT_EQ(embed("a\xFF dog\n", {"--invalid", "skip"}), embed("a dog\n"));
  EXPECT_EQ(embed("text\n\"caf\xE9\"\n", {"--csv", "--encoding", "windows-1252"}), embed("café\n"));
  EXPECT_EQ(embed("{\"text\": \"a\xFF dog\"}\n", {"--jsonl", "--invalid", "skip"}), embed("a dog\n"));
  const ProgramResult replaced =
      run_program({"embed", "--input", "-", "--invalid", "replace"}, {.standard_input = "a\xFF\nb\n"});
  EXPECT_EQ(replaced.status, 0);
  EXPECT_EQ(replaced.err, "bert-infer: note: 1 line has bytes that are no character of the encoding (--invalid)\n");
  const ProgramResult failed =
      run_program({"embed", "--input", "-", "--encoding", "windows-1252"}, {.standard_input = "a\x81\nb\n"});
  EXPECT_EQ(failed.status, 1);
  EXPECT_NE(failed.err.find("line 1: not valid windows-1252 at byte 1"), std::string::npos) << failed.err;
  expect_usage_error({"embed", "--input", "-", "--encoding", "utf-16"},
                     "--encoding 'utf-16': expected one of utf-8, latin-1, windows-1252");
}

}  // namespace
}  // namespace bert::test
