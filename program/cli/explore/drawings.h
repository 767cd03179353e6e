// Makes the drawings of the research commands available under the program's own name.
#pragma once

#include "program/drawings/attention_drawings.h"
#include "program/drawings/charts.h"
#include "program/drawings/distance_drawings.h"
#include "program/drawings/findings/findings.h"
#include "program/drawings/page.h"

namespace bert::cli {

using namespace drawings;

}  // namespace bert::cli
