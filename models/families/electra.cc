#include "models/families/electra.h"

namespace bert {

constinit const Family electra_family = make_electra();

}  // namespace bert
