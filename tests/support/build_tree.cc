#include "tests/support/build_tree.h"

#include <cstdlib>

namespace bert::test {

std::string source_directory() { return BERT_SOURCE_DIR; }

std::string program_path() {
  const char* const given = std::getenv("BERT_INFER_PROGRAM");
  return given != nullptr ? given : BERT_INFER_PROGRAM;
}

}  // namespace bert::test
