// Reads config.json of a GLiClass model: how the model reads labels with a text, and the layers after its encoder.
// Forms that this library would compute wrongly are rejected by name. Source: gliclass 0.1.21. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bert/config.h"
#include "bert/vector_request.h"
#include "engine/base/file_source.h"
#include "engine/kernels/kernel_table.h"

namespace bert {

// kUniEncoder: labels are read with the text. kBiEncoder: labels have their own encoder. kFusedBiEncoder: labels are
// encoded first, and then read with the text as vectors.
enum class ClassForm { kUniEncoder, kBiEncoder, kFusedBiEncoder };

enum class ClassScorer { kDot, kWeightedDot, kTwoVectors };

// How a text's vector is computed from its tokens' vectors.
enum class ClassPooling { kFirst, kLast, kMean, kSum, kMax, kRootMeanSquare, kAbsoluteMean, kAbsoluteMax };

struct ClassSettings {
  ClassForm form = ClassForm::kUniEncoder;
  ModelConfig text = {};
  std::optional<ModelConfig> labels = {};  // for bi-encoders
  std::string label_model = {};            // name in the hub of the model whose tokenizer the labels use
  size_t hidden_size = 0;                  // between the two layers of a projection
  Activation activation = Activation::kGelu;
  ClassScorer scorer = ClassScorer::kDot;
  ClassPooling pooling = ClassPooling::kFirst;
  bool has_lstm = false;           // an LSTM over the text's tokens
  bool normalizes = false;         // vectors of texts and labels have length 1
  bool pools_text_alone = false;   // pool only tokens from the separator on; false: all tokens, also those of labels
  bool labels_first = false;       // labels come before the text; false: after it
  bool averages_labels = false;    // a label's vector is the mean of its tokens; false: one token
  bool reads_label_token = true;   // that token is the label's marker; false: the next one. For the mean: include the
                                   // marker
  int32_t label_token_id = 0;      // "<<LABEL>>"
  int32_t separator_token_id = 0;  // "<<SEP>>"
};

// Returns nullopt if config.json does not exist or is of another kind of model.
// notices: receives messages for the user. Throws Error: kInvalidFile, with field, found and expected; kUnsupported.
std::optional<ClassSettings> read_class_settings(const FileSource& files, std::vector<std::string>& notices);

}  // namespace bert
