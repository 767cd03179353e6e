#include "engine/base/cpu_features.h"

namespace bert {

// Windows 11 grants tiles by a call that this does not make yet.
bool grants_tile_data() { return false; }

ArmCapabilities arm_capabilities() { return {}; }

}  // namespace bert
