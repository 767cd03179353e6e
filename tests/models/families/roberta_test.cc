#include <gtest/gtest.h>

#include "tests/models/family_check.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(RobertaFamily, "roberta", "roberta-masked-lm", "roberta-sequence")

}  // namespace
}  // namespace bert
