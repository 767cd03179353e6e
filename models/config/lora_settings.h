// Reads adapter_config.json of a LoRA adapter, as written by the library peft: the scale of each weight's low-rank
// change, and the kind of model that the adapter was made for. Settings that would change the numbers in another way
// are rejected by name. A plain value.
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
  bool root_of_rank = false;  // use_rslora: alpha is divided by the square root of the rank
  // For modules whose names match a pattern, instead of rank and alpha; the first match counts.
  std::vector<std::pair<std::string, double>> ranks;
  std::vector<std::pair<std::string, double>> alphas;
  std::string base_model;  // base_model_name_or_path; may be ""
  std::string head_class;  // "ForSequenceClassification", …, by task_type; "": the base model's
  std::string source;      // the file, for errors

  // Returns the factor of B · A for this module. rows: the rows of A. Throws Error if the settings name another rank.
  double scale(std::string_view module, size_t rows) const;
};

// Throws Error: kInvalidFile for a malformed file; kUnsupported for DoRA and other settings that change the numbers.
LoraSettings read_lora_settings(const JsonObject& fields);

// Reads adapter_config.json of a directory. Throws Error(kNotFound) if there is none.
LoraSettings read_lora_settings(const FileSource& files);

// Returns whether peft's pattern matches the module's name, or the part of it after a dot. A pattern may have letters,
// digits, _, - and, of regular expressions, ".", "\.", "\d", "*", "+", "?", and "^" and "$" at its ends.
bool names_module(std::string_view pattern, std::string_view module);

}  // namespace bert
