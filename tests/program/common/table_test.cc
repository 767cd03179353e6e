#include "program/common/table.h"

#include <gtest/gtest.h>

namespace bert::common {
namespace {

Table small_table() {
  Table table({{"#", Align::kRight}, {"token"}, {"norm", Align::kRight}, {"share", Align::kRight}});
  table.add({"0", "[CLS]", "1.25", "9 %"});
  table.add({"10", "fox", "12.5", "10 %"});
  return table;
}

TEST(Table, AlignsColumns) {
  EXPECT_EQ(small_table().text({}),
            " #  token  norm  share\n"
            " 0  [CLS]  1.25    9 %\n"
            "10  fox    12.5   10 %\n");
  EXPECT_EQ(small_table().text({.color = true}).substr(0, 31), "\x1b[1m #  token  norm  share\x1b[0m\n");
}

// The table needs 22 columns: 2 for the first column, and its width and 2 for each other one.
TEST(Table, ContinuesBelowWhereItIsWiderThanTheTerminal) {
  EXPECT_EQ(small_table().text({.columns = 22}), small_table().text({}));
  EXPECT_EQ(small_table().text({.columns = 21}),
            " #  token  norm\n"
            " 0  [CLS]  1.25\n"
            "10  fox    12.5\n"
            "\n"
            " #  share\n"
            " 0    9 %\n"
            "10   10 %\n");
  // At least one column beside the first is shown.
  EXPECT_EQ(small_table().text({.columns = 1}).substr(0, 31),
            " #  token\n"
            " 0  [CLS]\n"
            "10  fox\n"
            "\n #");
}

}  // namespace
}  // namespace bert::common
