// Two models of one shape, such as a quantised model and its source, compared on the same texts: their vectors, their
// layers, and their correlation with people's judgements. verify --against and quantize --report print it. Used by one
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bert/model.h"
#include "tools/cli/commands/label_comparison.h"
#include "tools/cli/explore/report.h"
#include "tools/cli/options/options.h"
#include "tools/cli/output/console.h"
#include "tools/cli/output/output.h"

namespace bert::cli {

struct ComparisonOptions {
  std::string sts;  // file; empty: none
  LabelComparisonOptions labels;
  DrawnFiles drawn;
};

// --input, --jsonl, --sts, --labels, --label, --threshold, --html, --svg.
void declare_comparison(OptionTable& table, Options& options, ComparisonOptions& comparison);

// Throws UsageError if one of these options is given: they need `other`.
void require_no_comparison(const Options& options, const ComparisonOptions& comparison, const char* other);

// A hidden state of all tokens. Distances are relative to the norm of the reference's vector; means are over the
// tokens.
struct LayerComparison {
  double loss = 0;      // mean distance if the layer gets the reference's input; of layer 0, the embeddings, `distance`
  double distance = 0;  // mean distance, including what the layers before it cause
  double difference = 0;  // the largest of two numbers, including the same
};

// Spearman's correlation of the cosine of each pair with the pair's score.
struct StsComparison {
  size_t pairs = 0;
  double spearman = 0;
  double reference_spearman = 0;
};

struct Comparison {
  std::string model, reference;  // their names, with precision and, if they differ in them, positions
  bool own_texts = false;        // no --input: the texts are the program's
  size_t texts = 0;
  size_t tokens = 0;
  std::vector<double> cosines;          // of a text's two vectors, [texts]
  size_t least_similar = 0;             // the number in the input, from 1, of the text with the least cosine
  size_t neighbours = 0;                // as many nearest texts are compared; 0: too few texts
  double neighbours_kept = 0;           // the share of the reference's nearest texts that are nearest for the model too
  std::vector<LayerComparison> layers;  // [layers + 1]
  // Of the model, with 8-bit weights: rows that 8 bits hardly hold, in each of `layers`, then in those that read the
  // last one. Empty: none.
  std::vector<size_t> coarse_rows;
  std::optional<StsComparison> sts;
  std::optional<LabelComparison> labels;
  int status = kDone;  // kFailed: a text failed and was left out
};

// `model` and `reference` are compared on the texts of options.inputs, else on the program's own; output: where the
// result will go. Failed texts are reported and left out. Throws Error if the models differ in shape or in their
// tokens; InputError, also if no text is left.
Comparison compare(const Model& model, const Model& reference, const Options& options,
                   const ComparisonOptions& comparison, const Output& output, Console& console);

}  // namespace bert::cli
