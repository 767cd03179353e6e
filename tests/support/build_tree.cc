#include "tests/support/build_tree.h"

namespace bert::test {

std::string source_directory() { return BERT_SOURCE_DIR; }

std::string program_path() { return BERT_INFER_PROGRAM; }

}  // namespace bert::test
