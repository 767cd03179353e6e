// The minimum of a logistic regression's loss, by Newton's method: each step solves the system of the second
// derivatives by conjugate gradients, so no matrix of them is kept. Sums are in float64, in one written order, and exp
// and log are computed here, so the result has the same bits on every CPU. Stateless; safe to call from many threads.
#pragma once

#include "bert/fit.h"

namespace bert::analysis {

// The data is checked by the caller, except for its numbers. Throws Error(kNonFinite) for a NaN or an infinity.
LogisticRegression minimize_logistic_loss(const LabelledRows& data, double c);

// exp of 0 or less, and the natural logarithm of 1 or more: within a few units of the last place.
double exp_of_negative(double x);
double log_from_one(double x);

}  // namespace bert::analysis
