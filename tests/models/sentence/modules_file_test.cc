#include "models/sentence/modules_file.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

TEST(ModulesFile, ListsTheModulesInTheirOrder) {
  const test::TemporaryDirectory directory;
  const DirectorySource files(directory.path());
  EXPECT_FALSE(read_modules_file(files));
  directory.write("modules.json", R"([{"type": "a.Transformer", "path": ""}, {"type": "a.Pooling", "path": "1"},
                                      {"type": "sentence_transformers.models.StaticEmbedding", "path": "."}])");
  const auto modules = read_modules_file(files);
  ASSERT_EQ(modules->size(), 3u);
  EXPECT_EQ((*modules)[1].index, 1u);
  EXPECT_EQ((*modules)[1].type, "a.Pooling");
  EXPECT_EQ((*modules)[1].directory, "1");
  EXPECT_EQ((*modules)[2].directory, "");
  for (const char* wrong : {"{}", "[1]", R"([{"type": "a.Pooling", "path": "../x"}])"}) {
    directory.write("modules.json", wrong);
    test::error_of(ErrorCode::kInvalidFile, [&] { read_modules_file(files); });
  }
}

TEST(ModulesFile, TellsOfRepeatedKeys) {
  const test::TemporaryDirectory directory;
  const DirectorySource files(directory.path());
  directory.write("modules.json", R"([{"type": "a.Dense", "type": "a.Pooling", "unread": NaN}])");
  std::vector<std::string> notices;
  EXPECT_EQ((*read_modules_file(files, &notices))[0].type, "a.Pooling");
  EXPECT_EQ(notices.size(), 1u);
  EXPECT_EQ((*read_modules_file(files))[0].type, "a.Pooling");
}

}  // namespace
}  // namespace bert
