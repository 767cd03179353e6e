// Tests .npz archives. Reads them entry by entry, following the description of the zip format (APPNOTE 6.3.10, sections
// 4.3.7 and 4.3.12), and compares them with --format json.
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

uint32_t number_at(const std::string& bytes, size_t position, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i) value |= uint32_t{static_cast<unsigned char>(bytes.at(position + i))} << (8 * i);
  return value;
}

struct NpyFile {
  std::string dictionary;
  std::string data;
};

// Returns the archive's entries by name, found in its central directory.
std::map<std::string, NpyFile> entries_of(const std::string& archive) {
  std::map<std::string, NpyFile> entries;
  const size_t end = archive.rfind("PK\x05\x06");
  size_t at = number_at(archive, end + 16, 4);
  for (uint32_t i = 0; i < number_at(archive, end + 10, 2); ++i) {
    EXPECT_EQ(number_at(archive, at, 4), 0x02014b50u);
    EXPECT_EQ(number_at(archive, at + 10, 2), 0u) << "stored";
    const uint32_t size = number_at(archive, at + 24, 4);
    const uint32_t name_bytes = number_at(archive, at + 28, 2);
    const uint32_t local = number_at(archive, at + 42, 4);
    const std::string name = archive.substr(at + 46, name_bytes);
    const size_t data = local + 30 + number_at(archive, local + 26, 2) + number_at(archive, local + 28, 2);
    const std::string npy = archive.substr(data, size);
    EXPECT_EQ(npy.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8)) << name;
    const uint32_t header = number_at(npy, 8, 2);
    EXPECT_EQ((10 + header) % 64, 0u) << name;
    entries[name] = {npy.substr(10, header), npy.substr(10 + header)};
    at += 46 + name_bytes + number_at(archive, at + 30, 2) + number_at(archive, at + 32, 2);
  }
  return entries;
}

template <class Number>
std::vector<Number> numbers_of(const NpyFile& file) {
  std::vector<Number> numbers(file.data.size() / sizeof(Number));
  std::memcpy(numbers.data(), file.data.data(), file.data.size());
  return numbers;
}

TEST(Npz, HasTheArraysThatJsonHas) {
  const std::vector<std::string> text = {"--layers", "--attentions", "a dog"};
  std::vector<std::string> npz = text, json = text;
  npz.insert(npz.end(), {"--format", "npz"});
  json.insert(json.end(), {"--format", "json"});
  const std::map<std::string, NpyFile> entries = entries_of(run_program(npz).out);
  const nlohmann::json object = run_program(json).json();

  for (const auto& [name, value] : object.items()) EXPECT_TRUE(entries.contains(name + ".npy")) << name;
  EXPECT_EQ(entries.size(), object.size());
  EXPECT_EQ(numbers_of<int32_t>(entries.at("ids.npy")), object["ids"].get<std::vector<int32_t>>());
  EXPECT_EQ(numbers_of<float>(entries.at("pooler_output.npy")), object["pooler_output"].get<std::vector<float>>());
  const size_t tokens = object["ids"].size();
  const size_t hidden = object["pooler_output"].size();
  const std::vector<float> last = numbers_of<float>(entries.at("last_hidden_state.npy"));
  ASSERT_EQ(last.size(), tokens * hidden);
  for (size_t t = 0; t < tokens; ++t) {
    for (size_t h = 0; h < hidden; ++h) ASSERT_EQ(last[t * hidden + h], object["last_hidden_state"][t][h].get<float>());
  }
  EXPECT_NE(entries.at("last_hidden_state.npy")
                .dictionary.find("'shape': (" + std::to_string(tokens) + ", " + std::to_string(hidden) + ")"),
            std::string::npos);
  EXPECT_NE(entries.at("truncated_tokens.npy").dictionary.find("'shape': ()"), std::string::npos);
  EXPECT_NE(entries.at("tokens.npy").dictionary.find("'<U5'"), std::string::npos)
      << entries.at("tokens.npy").dictionary;
}

TEST(Npz, SaysThatPositionsWereSwapped) {
  const std::map<std::string, NpyFile> entries =
      entries_of(run_program({"--positions", "none", "--format", "npz", "a", "\xff"}).out);
  for (const char* name : {"0/positions.npy", "1/positions.npy"}) {
    ASSERT_TRUE(entries.contains(name)) << name;
    EXPECT_EQ(numbers_of<char32_t>(entries.at(name)), (std::vector<char32_t>{U'n', U'o', U'n', U'e'}));
  }
  EXPECT_FALSE(entries_of(run_program({"--format", "npz", "a"}).out).contains("positions.npy"));
}

TEST(Npz, NumbersSeveralResults) {
  const ProgramResult result = run_program({"--format", "npz", "a", "\xff", "b"});
  EXPECT_EQ(result.status, 1);
  const std::map<std::string, NpyFile> entries = entries_of(result.out);
  EXPECT_TRUE(entries.contains("0/ids.npy"));
  EXPECT_TRUE(entries.contains("1/error.npy"));
  EXPECT_FALSE(entries.contains("1/ids.npy"));
  EXPECT_TRUE(entries.contains("2/last_hidden_state.npy"));
}

TEST(Npz, KeepsIdsAndLines) {
  const ProgramResult result = run_program({"--format", "npz", "--input", "-", "--jsonl"},
                                           {.standard_input = "{\"id\": 7, \"text\": \"a\"}\n{\"id\": \"é\"}\n"});
  const std::map<std::string, NpyFile> entries = entries_of(result.out);
  EXPECT_EQ(numbers_of<int64_t>(entries.at("0/id.npy")), std::vector<int64_t>{7});
  EXPECT_EQ(numbers_of<char32_t>(entries.at("1/id.npy")), std::vector<char32_t>{U'é'});
  EXPECT_EQ(numbers_of<int64_t>(entries.at("1/line.npy")), std::vector<int64_t>{2});
}

TEST(Npz, IsTheSameInAFileAndEveryTime) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "fox.npz").string();
  EXPECT_EQ(run_program({"--format", "npz", "--output", path, "a", "b"}).status, 0);
  EXPECT_EQ(read_file(path), run_program({"--format", "npz", "a", "b"}).out);
}

}  // namespace
}  // namespace bert::test
