#include <gtest/gtest.h>

#include "tests/models/family_check.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(CamembertFamily, "camembert")

}  // namespace
}  // namespace bert
