#include "tokenizer/model/string_table.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace bert {
namespace {

TEST(StringTable, IsEmptyAtFirst) {
  const StringTable table;
  EXPECT_EQ(table.find(""), StringTable::kAbsent);
  EXPECT_EQ(table.find("a"), StringTable::kAbsent);
}

TEST(StringTable, GivesTheNewIdAndReturnsTheOld) {
  StringTable table;
  table.reset(2);
  EXPECT_EQ(table.insert("a", 3), StringTable::kAbsent);
  EXPECT_EQ(table.insert("a", 7), 3);
  EXPECT_EQ(table.find("a"), 7);
  EXPECT_EQ(table.size(), 1u);
}

TEST(StringTable, FindsWhatAMapFinds) {
  std::mt19937 random(1);
  std::vector<std::string> strings;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (size_t n = random() % 6; n > 0; --n) text += static_cast<char>("abc\xC3\xA9\0"[random() % 6]);
    strings.push_back(text);
  }
  StringTable table;
  table.reset(strings.size() / 2);
  std::unordered_map<std::string_view, int32_t> map;
  for (size_t i = 0; i < strings.size() / 2; ++i) {
    table.insert(strings[i], static_cast<int32_t>(i));
    map[strings[i]] = static_cast<int32_t>(i);
  }
  EXPECT_EQ(table.size(), map.size());
  for (const std::string& text : strings) {
    const auto found = map.find(text);
    ASSERT_EQ(table.find(text), found == map.end() ? StringTable::kAbsent : found->second) << text;
  }
}

// Looks up texts that differ from the stored one in one byte, with the stored one's hash.
TEST(StringTable, ComparesEveryByteWhereTheHashIsThatOfAnother) {
  for (size_t length = 1; length <= 40; ++length) {
    const std::string stored(length, 'x');
    StringTable table;
    table.reset(1);
    table.insert(stored, 1);
    EXPECT_EQ(table.find(stored), 1);
    for (size_t i = 0; i < length; ++i) {
      std::string other = stored;
      other[i] = 'y';
      EXPECT_EQ(table.find(other.data(), length, hash_string(stored)), StringTable::kAbsent) << length << " " << i;
    }
  }
}

TEST(StringTable, HashesSubstringsByTheHashesOfPrefixes) {
  const std::string text = "unaffable";
  const uint64_t power3 = kHashBase * kHashBase * kHashBase;
  EXPECT_EQ(hash_string(text.substr(2, 3)), hash_string(text.substr(0, 5)) - hash_string(text.substr(0, 2)) * power3);
}

TEST(StringTable, RefusesStringsThatAreTooLongByNotFindingThem) {
  StringTable table;
  table.reset(1);
  const std::string longest(StringTable::kMaxLength, 'x');
  table.insert(longest, 1);
  EXPECT_EQ(table.find(longest), 1);
  EXPECT_EQ(table.find(longest + "x"), StringTable::kAbsent);
  EXPECT_EQ(table.longest(), longest.size());
}

}  // namespace
}  // namespace bert
