// The sources of a model: the settings in its files, and its weights. Stateless.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bert/load_options.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/weight_reader.h"
#include "models/config/family.h"
#include "models/config/lora_settings.h"
#include "models/model/model_form.h"
#include "models/sentence/static_table.h"
#include "models/text/text_settings.h"

namespace bert {

struct ModelSources {
  std::optional<std::string> directory;  // nullopt: the built-in model
  const Family* family = nullptr;        // null: a static model
  ModelConfig config;
  TextSettings text;
  std::variant<Checkpoint, StaticTable> weights;  // of an encoder, or of a static model
  std::string experiment = {};                    // a notice if the positions are not the model's own; else ""
  std::vector<std::string> left_out = {};         // patterns of the names of unused tensors
  // For a model with an extension, whose file has other layers beside the encoder.
  ReadExtension read_extension = {};
  std::string_view prefix = {};  // prefix of the encoder's tensors; empty: the family's own
  // An adapter (LoRA), whose file is the last one of the weights.
  struct Adapter {
    std::string directory;
    LoraSettings settings;
  };
  std::optional<Adapter> adapter = {};
  std::unique_ptr<ModelSources> second_encoder = {};  // set if the extension has its own encoder

  std::filesystem::path folder() const { return directory.value_or(""); }
};

// Finds the sources in a model's directory. Throws Error for anything missing, malformed or unsupported.
ModelSources find_sources(const std::filesystem::path& directory, const LoadOptions& options);
ModelSources builtin_sources(const LoadOptions& options);

// Returns options for weights that keep the precision of their file.
WeightReaderOptions module_options(const LoadOptions& options);

}  // namespace bert
