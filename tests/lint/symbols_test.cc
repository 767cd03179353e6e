// Checks the folder rule on the library's objects: a folder may need a symbol of another one only if it may use that
// folder.
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

// Reads the build's list of objects, which has a line for each folder: its name, then its objects.
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
    // nm prints POSIX's format: name, type, value, size. The name of a file stands alone in its line.
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
