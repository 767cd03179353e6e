#include "tokenizer/families.h"

namespace bert {

const std::string_view kDoubleSeparatorProcessing = "RobertaProcessing";

}  // namespace bert
