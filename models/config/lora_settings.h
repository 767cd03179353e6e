// adapter_config.json of a LoRA adapter, as the library peft writes it: the scale of each weight's low-rank change, and
// what the adapter was made for. What would change the numbers in another way is rejected by name. A plain value.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/file_source.h"
#include "engine/base/json/json_object.h"

namespace bert {

struct LoraSettings {
  double rank = 8;
  double alpha = 8;
  bool root_of_rank = false;  // use_rslora: alpha is divided by the root of the rank
  // Of the modules whose names match, in place of rank and alpha; the first match counts.
  std::vector<std::pair<std::string, double>> ranks;
  std::vector<std::pair<std::string, double>> alphas;
  std::string base_model;  // base_model_name_or_path; may be ""
  std::string head_class;  // "ForSequenceClassification", … as task_type says; "": the base model's
  std::string source;      // the file, for messages

  // What B · A of this module is multiplied by, if A has so many rows. Throws Error if the settings name another rank.
  double scale(std::string_view module, size_t rows) const;
};

// Throws Error: kInvalidFile for a malformed file; kUnsupported for DoRA and other settings that change the numbers.
LoraSettings read_lora_settings(const JsonObject& fields);

// adapter_config.json of a directory. Throws Error(kNotFound) if there is none.
LoraSettings read_lora_settings(const FileSource& files);

// Whether peft's pattern names the module: all of its name, or all after a dot. A pattern has letters, digits, _, -,
// and of regular expressions ".", "\.", "\d", "*", "+", "?", and "^" and "$" at its ends.
bool names_module(std::string_view pattern, std::string_view module);

}  // namespace bert
