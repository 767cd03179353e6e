#include "engine/base/pages.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

TEST(Pages, ShowThePartOfTheFileAfterHintsToo) {
  std::string content(3 * page_size() + 5, '-');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>('a' + i * i % 23);
  const test::TemporaryDirectory directory;
  std::error_code error;
  const Descriptor file = Descriptor::open(directory.write("x", content), error);
  const auto pages = map_pages(file, page_size(), content.size() - page_size(), error);
  ASSERT_FALSE(error) << error.message();
  for (const std::span<const std::byte> part : {pages, pages.subspan(5, 10), pages.last(1), pages.first(0)}) {
    prefetch(part);
    let_go(part);
    EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(pages.data()), pages.size()),
              std::string_view(content).substr(page_size()));
  }
  unmap_pages(pages);
}

TEST(Pages, OfNothingAreAnError) {
  std::error_code error;
  EXPECT_TRUE(map_pages(Descriptor(), 0, 1, error).empty());
  EXPECT_TRUE(error);
}

}  // namespace
}  // namespace bert
