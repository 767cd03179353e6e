// The list of a model's modules in modules.json, and the JSON files that they and the library have. Stateless.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_source.h"
#include "engine/base/json/json.h"
#include "models/sentence/sentence_modules.h"

namespace bert {

// nullopt without the file. Adds messages for the user to `notices`, unless null: another call tells them.
std::optional<JsonDocument> read_json_file(const FileSource& files, const std::string& name,
                                           std::vector<std::string>* notices = nullptr);

// [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}, …] in the order in which
// they run; nullopt without modules.json.
std::optional<std::vector<NamedModule>> read_modules_file(const FileSource& files,
                                                          std::vector<std::string>* notices = nullptr);

}  // namespace bert
