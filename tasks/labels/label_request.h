// A LabelRequest or ClassRequest for one model: labels that were checked and prepared once, then texts with them.
// Functions throw Error(kUnsupported) for a model that does not read labels for the task.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "bert/model.h"
#include "tasks/labels/label_windows.h"
#include "tasks/labels/prepared_labels.h"

namespace bert {

// Throws Error as find_entities() and score_labels() do for their requests.
PreparedLabels prepare_labels(const Model& model, LabelRequest request);
PreparedLabels prepare_labels(const Model& model, ClassRequest request);

// By the labels' own encoder: [labels, its width]; without one empty. Computed once.
ConstMatrixView label_vectors(const Model& model, const PreparedLabels& labels);

// As the encoder's input. options.max_length 0: no limit.
Encoding tokenize_with_labels(const Model& model, std::string_view text, const PreparedLabels& labels,
                              const TokenizeOptions& options);

// The same, of the windows of a text that is too long, each a part of it.
std::vector<LabelWindow> label_windows(const Model& model, std::string_view text, const PreparedLabels& labels,
                                       const TokenizeOptions& options, bool fits_stride = false);

// Gives the results of each text. encodings: made by tokenize_with_labels() of these texts; batch: the same as
// sequences.
void find_labels(const Model& model, std::span<const TokenSequence> batch, std::span<const Encoding* const> encodings,
                 std::span<const std::string_view> texts, const PreparedLabels& labels, const LabelResultSink& give);

}  // namespace bert
