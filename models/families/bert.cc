#include "models/families/bert.h"

namespace bert {

constinit const Family bert_family = kBert;

}  // namespace bert
