// Prepares a LabelRequest or ClassRequest for one model: labels are checked and prepared once, then used for many
// texts. Functions throw Error(kUnsupported) for a model that does not read labels for the task.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "bert/model.h"
#include "tasks/labels/label_reader.h"
#include "tasks/labels/prepared_labels.h"

namespace bert {

// A part of a text that is too long to be read with labels at once: whole words, which the model reads as a text, so it
// finds in it what it would find in that part alone.
struct LabelWindow {
  Offset place;       // place in the text
  Encoding encoding;  // of the window's text, with offsets in it
};

// Check and prepare the labels. Throw Error as find_entities() and score_labels() do for their requests.
PreparedLabels prepare_labels(const Model& model, LabelRequest request);
PreparedLabels prepare_labels(const Model& model, ClassRequest request);

// Returns the labels' vectors by their own encoder, [labels, its width]; empty without one. Computed once.
ConstMatrixView label_vectors(const Model& model, const PreparedLabels& labels);

// Returns a text with the labels as the encoder's input. options.max_length 0: no limit.
Encoding tokenize_with_labels(const Model& model, std::string_view text, const PreparedLabels& labels,
                              const TokenizeOptions& options);

// Return at least one window; for a text that fits, the whole text. Adjacent windows share words of options.stride
// tokens, or a few more. Throws Error as reader.tokenize() does, and kInvalidArgument for more windows than
// options.max_windows and for a stride of more than half a window; fits_stride reduces such a stride to half a window.
std::vector<LabelWindow> label_windows(const LabelReader& reader, const Tokenizer& tokenizer, std::string_view text,
                                       const PreparedLabels& labels, const TokenizeOptions& options,
                                       bool fits_stride = false);
std::vector<LabelWindow> label_windows(const Model& model, std::string_view text, const PreparedLabels& labels,
                                       const TokenizeOptions& options, bool fits_stride = false);

// Passes the results of each text to `sink`. encodings: from tokenize_with_labels() for these texts; batch: the
// encodings as sequences.
void find_labels(const Model& model, std::span<const TokenSequence> batch, std::span<const Encoding* const> encodings,
                 std::span<const std::string_view> texts, const PreparedLabels& labels, const LabelResultSink& sink);

}  // namespace bert
