// Reads gliner_config.json: how a GLiNER model reads labels and words, and the sizes of its layers. Forms that this
// library would compute wrongly are rejected by name. Source: gliner 0.2.29. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bert/config.h"
#include "engine/base/file_source.h"

namespace bert {

inline constexpr const char* kGlinerConfig = "gliner_config.json";

// How a word's vector is computed from its tokens' vectors.
enum class WordPooling { kFirst, kLast, kMean, kMax };

// What is scored. kMarker, kMarkerV0: spans of words, by their first and last words. kWords: each word, as the
// beginning, the end and the inside of an entity.
enum class EntityForm { kMarker, kMarkerV0, kWords };

// An encoder that the file describes, or only names.
struct GlinerEncoder {
  std::string name;                        // in the hub
  std::optional<ModelConfig> config = {};  // nullopt: the named model's
};

struct GlinerSettings {
  static constexpr size_t kMostWords = size_t{1} << 20, kMostWidth = 1024;

  EntityForm form = EntityForm::kMarkerV0;
  GlinerEncoder text = {};
  std::optional<GlinerEncoder> labels =
      {};                    // the labels' own encoder (bi-encoder); nullopt: labels are put before the text
  size_t hidden_size = 512;  // of the layers after the encoder
  size_t max_width = 12;     // limit of the words of a span
  size_t max_words = 384;    // limit of the words of a text
  size_t lstm_layers = 1;
  WordPooling pooling = WordPooling::kFirst;
  std::string label_token = "<<ENT>>";         // before each label
  std::string separator_token = "<<SEP>>";     // after the last label
  bool reads_label_token = true;               // a label's vector is that of its label token; false: of the next token
  std::optional<int32_t> label_token_id = {};  // nullopt: the markers must be added to the tokenizer
  std::optional<size_t> vocab_size = {};       // nullopt: the tokenizer's
};

// Returns nullopt if the directory is of another kind.
// notices: receives messages for the user. Throws Error: kInvalidFile, with field, found and expected; kUnsupported.
std::optional<GlinerSettings> read_gliner_settings(const FileSource& files, std::vector<std::string>& notices);

}  // namespace bert
