// The library's objects keep the folder rule: what one folder's need and another's define, the linker may bring.
#include <cxxabi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/lint/command_output.h"
#include "tests/lint/rules.h"
#include "tests/support/test_data.h"

namespace bert::lint {
namespace {

std::string readable(const std::string& symbol) {
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr),
                                                    std::free);
  return name == nullptr ? symbol : name.get();
}

// The build's list of objects has a line for each folder: its name, then the objects.
std::vector<FolderSymbols> library_symbols() {
  std::vector<FolderSymbols> folders;
  std::istringstream list(test::read_file(BERT_LIBRARY_OBJECTS));
  std::string line;
  while (std::getline(list, line)) {
    std::istringstream words(line);
    FolderSymbols folder;
    words >> folder.folder;
    std::string object, objects;
    while (words >> object) objects += " '" + object + "'";
    if (objects.empty()) continue;  // a folder of headers
    // POSIX's format: name, type, value, size; a file's name stands alone in its line.
    std::istringstream symbols(output_of(BERT_NM " -P -g" + objects));
    while (std::getline(symbols, line)) {
      std::istringstream fields(line);
      std::string name, type;
      if (fields >> name >> type) (type == "U" ? folder.undefined : folder.defined).insert(readable(name));
    }
    folders.push_back(std::move(folder));
  }
  return folders;
}

TEST(Symbols, AreOfFoldersBelow) {
  const std::vector<FolderSymbols> folders = library_symbols();
  ASSERT_EQ(folders.size(), 21u);
  for (const FolderSymbols& folder : folders) {
    EXPECT_FALSE(folder.defined.empty()) << folder.folder << ": is the target bertinfer built?";
    EXPECT_FALSE(folder.undefined.empty()) << folder.folder;
  }
  EXPECT_EQ(check_symbols(folders), Findings());
}

}  // namespace
}  // namespace bert::lint
