#include "engine/base/utf8_path.h"

#include <gtest/gtest.h>

#include "engine/base/file.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

constexpr const char* kName = "Häuschen 東京 🐘.txt";

TEST(Utf8Path, GivesBackTheTextThatAPathWasMadeOf) {
  EXPECT_EQ(utf8(path_of(kName)), kName);
  EXPECT_EQ(generic_utf8(path_of("ä") / path_of("ö")), "ä/ö");
}

TEST(Utf8Path, NamesAFileThatIsRead) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path named = directory.path() / path_of(kName);
  std::filesystem::rename(directory.write("plain.txt", "text"), named);
  EXPECT_EQ(read_text_file(named, 100), "text");
  EXPECT_TRUE(utf8(named).ends_with(kName));
}

}  // namespace
}  // namespace bert
