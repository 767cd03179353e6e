#include "models/families/deberta_v2.h"

namespace bert {

constinit const Family deberta_v2_family = make_deberta_v2();

}  // namespace bert
