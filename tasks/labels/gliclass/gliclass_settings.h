// config.json of a GLiClass model: how it reads labels with a text, and the layers after its encoder. Forms whose
// numbers this library would not give are rejected by name. Source: gliclass 0.1.21. Stateless.
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

// Labels beside the text; in an encoder of their own; or there first, and then beside the text as vectors.
enum class ClassForm { kUniEncoder, kBiEncoder, kFusedBiEncoder };

enum class ClassScorer { kDot, kWeightedDot, kTwoVectors };

// The vector of a text from those of its tokens.
enum class ClassPooling { kFirst, kLast, kMean, kSum, kMax, kRootMeanSquare, kAbsoluteMean, kAbsoluteMax };

struct ClassSettings {
  ClassForm form = ClassForm::kUniEncoder;
  ModelConfig text = {};
  std::optional<ModelConfig> labels = {};  // of bi-encoders
  std::string label_model = {};            // in the hub, whose tokenizer the labels have
  size_t hidden_size = 0;                  // between the projections' layers
  Activation activation = Activation::kGelu;
  ClassScorer scorer = ClassScorer::kDot;
  ClassPooling pooling = ClassPooling::kFirst;
  bool has_lstm = false;           // over the text's tokens
  bool normalizes = false;         // the vectors of texts and labels, to unit length
  bool pools_text_alone = false;   // from the separator on; false: all tokens, those of labels too
  bool labels_first = false;       // before the text; false: after it
  bool averages_labels = false;    // a label's vector is the mean of its tokens; false: one of them
  bool reads_label_token = true;   // that one is the label's marker; false: the next. Of the mean: with the marker
  int32_t label_token_id = 0;      // "<<LABEL>>"
  int32_t separator_token_id = 0;  // "<<SEP>>"
};

// nullopt: config.json is not there, or is of another kind.
// notices: receives messages for the user. Throws Error: kInvalidFile, with field, found and expected; kUnsupported.
std::optional<ClassSettings> read_class_settings(const FileSource& files, std::vector<std::string>& notices);

}  // namespace bert
