// The drawings of the research commands, under the program's own name.
#pragma once

#include "tools/drawings/attention_drawings.h"
#include "tools/drawings/charts.h"
#include "tools/drawings/distance_drawings.h"
#include "tools/drawings/findings/findings.h"
#include "tools/drawings/page.h"

namespace bert::cli {

using namespace drawings;

}  // namespace bert::cli
