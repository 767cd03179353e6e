#include <gtest/gtest.h>

#include "tests/models/family_check.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(JinaV3Family, "jina-v3")

}  // namespace
}  // namespace bert
