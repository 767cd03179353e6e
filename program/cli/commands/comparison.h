// Compares two models of one shape, such as a quantised model and its source, on the same texts, for verify --against
// and quantize --report. Used by one thread.
#pragma once

#include <cstddef>
#include <string>

#include "bert/compare.h"
#include "bert/model.h"
#include "program/cli/explore/report.h"
#include "program/cli/options/label_options.h"
#include "program/cli/options/options.h"
#include "program/cli/output/console.h"
#include "program/cli/output/output.h"

namespace bert::cli {

struct ComparedInput {
  std::string sts;  // file; empty: none
  LabelOptions labels;
  double threshold = 0.5;
  DrawnFiles drawn;
};

// Declares --input, --jsonl, --sts, --labels, --label, --threshold, --html, --svg.
void declare_comparison(OptionTable& table, Options& options, ComparedInput& input);

// Throws UsageError if one of these options is given without `other`, which they need.
void require_no_comparison(const Options& options, const ComparedInput& input, const char* other);

// Throws UsageError unless labels are given exactly if the model reads them.
void require_labels(const Model& model, const ComparedInput& input);

struct Comparison : ModelComparison {
  std::string model, reference;     // their names, with precision and, if these differ, positions
  bool own_texts = false;           // there is no --input: the texts are the program's own
  size_t least_similar_number = 0;  // number of the least similar text in the input, from 1
  int status = kDone;               // kFailed: a text failed and was left out
};

// Compares the models on the texts of options.inputs, or else on the program's own texts. output: where the result will
// go. Reports failed texts and leaves them out. Throws Error if the models differ in shape or in their tokens, and
// InputError, also if no text is left.
Comparison compare(const Model& model, const Model& reference, const Options& options, const ComparedInput& input,
                   const Output& output, Console& console);

}  // namespace bert::cli
