#include <gtest/gtest.h>

#include "tests/models/reference_model.h"

namespace bert {
namespace {

TEST(NeoBertFamily, IsWithinTwiceTheReferencesError) { test::ReferenceModel("neobert").check(); }

}  // namespace
}  // namespace bert
