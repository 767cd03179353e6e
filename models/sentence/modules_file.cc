#include "models/sentence/modules_file.h"

#include "bert/error.h"
#include "engine/base/file.h"
#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"

namespace bert {

std::optional<JsonDocument> read_json_file(const FileSource& files, const std::string& name,
                                           std::vector<std::string>* notices) {
  const std::optional<std::string> text = files.read(name, kMaxModelFile);
  if (!text) return std::nullopt;
  std::vector<std::string> told_elsewhere;
  const JsonOptions limits = {.max_bytes = kMaxModelFile, .notices = notices != nullptr ? notices : &told_elsewhere};
  return parse_json(*text, files.display_name(name), limits);
}

std::optional<std::vector<NamedModule>> read_modules_file(const FileSource& files, std::vector<std::string>* notices) {
  const std::string file = files.display_name("modules.json");
  const std::optional<JsonDocument> json = read_json_file(files, "modules.json", notices);
  if (!json) return std::nullopt;
  if (!json->root().is_array()) {
    throw Error(ErrorCode::kInvalidFile,
                quote_path(file) + ": found " + json_excerpt(json->root()) + ", expected an array");
  }
  std::vector<NamedModule> modules;
  for (const Json element : json->root().elements()) {
    const JsonObject module(element, file, "module " + std::to_string(modules.size()));
    const std::string type = module.string("type").value_or("");
    std::string path = module.string("path").value_or("");
    if (path == "." && module_class(type) == "StaticEmbedding") path.clear();  // as written by model2vec
    if (!path.empty() && !is_plain_file_name(path)) module.refuse("path", "\"\" or the plain name of a directory");
    modules.push_back({.index = modules.size(), .type = type, .directory = path});
  }
  return modules;
}

}  // namespace bert
