#include "program/drawings/deflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace bert::drawings {
namespace {

TEST(Deflate, IsWhatZlibUndoes) {
  std::string bytes;
  for (unsigned i = 0; i < 100000; ++i) bytes += static_cast<char>(i * i / 1000);
  for (const std::string& text : {std::string(), std::string("a"), bytes}) {
    const std::string small = deflated(text);
    std::string again(text.size() + 1, '\0');
    uLongf size = again.size();
    ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(again.data()), &size, reinterpret_cast<const Bytef*>(small.data()),
                         small.size()),
              Z_OK);
    EXPECT_EQ(again.substr(0, size), text);
  }
}

}  // namespace
}  // namespace bert::drawings
