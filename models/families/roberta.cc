#include "models/families/roberta.h"

namespace bert {

constinit const Family roberta_family = make_roberta();

}  // namespace bert
