#include <gtest/gtest.h>

#include "tests/models/family_check.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(DistilBertFamily, "distilbert", "distilbert-sequence", "distilbert-sinusoidal")

}  // namespace
}  // namespace bert
