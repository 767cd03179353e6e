// Writes the comparison of two models as text, JSON and an HTML page. Stateless.
#pragma once

#include "program/cli/commands/comparison.h"
#include "program/cli/explore/report.h"

namespace bert::cli {

// Returns the report, which refers to `comparison`; `comparison` must outlive it.
Report comparison_report(const Comparison& comparison);
// Adds the sections of the comparison to a page.
void add_comparison(Page& page, const Comparison& comparison);

}  // namespace bert::cli
