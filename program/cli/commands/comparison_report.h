// The comparison of two models as text, JSON and an HTML page. Stateless.
#pragma once

#include "program/cli/commands/comparison.h"
#include "program/cli/explore/report.h"

namespace bert::cli {

// The report's forms. They refer to `comparison`, which must outlive them.
Report comparison_report(const Comparison& comparison);
// The sections of its page.
void add_comparison(Page& page, const Comparison& comparison);

}  // namespace bert::cli
