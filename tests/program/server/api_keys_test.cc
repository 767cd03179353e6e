#include "program/server/api_keys.h"

#include <gtest/gtest.h>

#include "bert/error.h"
#include "tests/support/temporary_directory.h"

namespace bert::test {
namespace {

TEST(ApiKeys, AcceptsEachKeyOfTheFileAndTheEnvironment) {
  const TemporaryDirectory folder;
  const std::string file = folder.write("keys", "# of the team\nfirst\n\nsecond\r\n").string();
  server::ApiKeys keys(file, "third");
  for (const char* good : {"Bearer first", "bearer second", "Bearer third"}) EXPECT_TRUE(keys.accepts(good)) << good;
  for (const char* bad : {"", "Bearer ", "Bearer firs", "Bearer firstt", "Bearer # of the team", "Basic first"}) {
    EXPECT_FALSE(keys.accepts(bad)) << bad;
  }
  folder.write("keys", "fourth\n");
  keys.reload();
  EXPECT_TRUE(keys.accepts("Bearer fourth"));
  EXPECT_FALSE(keys.accepts("Bearer first"));
  folder.write("keys", "\n");
  EXPECT_THROW(keys.reload(), Error);
  EXPECT_TRUE(keys.accepts("Bearer fourth"));
}

TEST(ApiKeys, NeedsNoneWithoutAny) {
  EXPECT_FALSE(server::ApiKeys("", "").is_required());
  EXPECT_TRUE(server::ApiKeys("", "a").is_required());
  EXPECT_THROW(server::ApiKeys("no-such-file", ""), Error);
}

}  // namespace
}  // namespace bert::test
