// Minimises a logistic regression's loss by Newton's method: each step solves the system of the second derivatives by
// conjugate gradients, so no matrix is stored. Sums are in float64 in a fixed order, and exp and log are computed here,
// so the result has the same bits on every CPU. Stateless; safe to call from many threads.
#pragma once

#include "bert/fit.h"

namespace bert::analysis {

// Returns the minimum. The caller must have checked the data, except its numbers. Throws Error(kNonFinite) for a NaN or
// an infinity.
LogisticRegression minimize_logistic_loss(const LabelledRows& data, double c);

// Return exp of a number <= 0, and the natural logarithm of a number >= 1, within a few units of the last place.
double exp_of_negative(double x);
double log_from_one(double x);

}  // namespace bert::analysis
