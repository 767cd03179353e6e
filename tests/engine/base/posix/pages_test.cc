#include "engine/base/pages.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

using test::TemporaryDirectory;

class Pages : public ::testing::Test {
 protected:
  void SetUp() override {
    for (size_t i = 0; i < content_.size(); ++i) content_[i] = static_cast<char>('a' + i * i % 23);
    std::error_code error;
    const Descriptor file = Descriptor::open(directory_.write("x", content_), error);
    ASSERT_FALSE(error);
    pages_ = map_pages(file, page_size(), content_.size() - page_size(), error);
    ASSERT_FALSE(error);
    shown_ = std::string_view(content_).substr(page_size());
  }
  void TearDown() override { unmap_pages(pages_); }
  std::string_view mapped() const { return {reinterpret_cast<const char*>(pages_.data()), pages_.size()}; }

  const TemporaryDirectory directory_;
  std::string content_ = std::string(3 * page_size() + 5, '-');
  std::string_view shown_;
  std::span<const std::byte> pages_;
};

TEST_F(Pages, ShowThePartOfTheFile) { EXPECT_EQ(mapped(), shown_); }

TEST_F(Pages, ShowZerosInPlaceOfSome) {
  ASSERT_TRUE(replace_by_zeros(pages_.subspan(page_size(), page_size())));
  EXPECT_EQ(mapped().substr(0, page_size()), shown_.substr(0, page_size()));
  EXPECT_EQ(mapped().substr(page_size(), page_size()), std::string(page_size(), '\0'));
  EXPECT_EQ(mapped().substr(2 * page_size()), shown_.substr(2 * page_size()));
}

TEST_F(Pages, StayAsTheyAreAfterHints) {
  for (const std::span<const std::byte> part : {pages_, pages_.subspan(5, 10), pages_.last(1), pages_.first(0)}) {
    prefetch(part);
    let_go(part);
    EXPECT_EQ(mapped(), shown_);
  }
}

TEST(PagesOfNothing, AreAnError) {
  std::error_code error;
  EXPECT_TRUE(map_pages(Descriptor(), 0, 1, error).empty());
  EXPECT_EQ(error, std::errc::bad_file_descriptor);
}

}  // namespace
}  // namespace bert
