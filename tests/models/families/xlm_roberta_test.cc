#include <gtest/gtest.h>

#include "tests/models/family_check.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(XlmRobertaFamily, "xlm-roberta")

}  // namespace
}  // namespace bert
