// The small JSON files beside a vocabulary or tokenizer.json, and the settings that every tokenizer reads from them.
// Stateless; safe to call from many threads.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/file_source.h"
#include "engine/base/json/json_object.h"
#include "tokenizer/family.h"
#include "tokenizer/settings.h"

namespace bert {

inline constexpr char kTokenizerConfig[] = "tokenizer_config.json", kSpecialTokensMap[] = "special_tokens_map.json",
                      kAddedTokens[] = "added_tokens.json", kModelConfig[] = "config.json";

// A JSON file whose value is an object.
class SideFile {
 public:
  SideFile(std::string_view text, std::string name)
      : document_(parse_json(text, name, {.notices = &notices_})), name_(std::move(name)) {
    object();
  }
  JsonObject object() const { return {document_.root(), name_}; }
  const std::string& name() const { return name_; }
  const std::vector<std::string>& notices() const { return notices_; }

 private:
  std::vector<std::string> notices_;
  JsonDocument document_;
  std::string name_;
};

struct SideFiles {
  std::optional<SideFile> config, special_tokens_map, added_tokens;

  std::vector<std::string> notices() const;
};

std::optional<SideFile> read_side_file(const FileSource& files, const char* name);
SideFiles read_side_files(const FileSource& files);

// A tokenizer class and the file that names it.
struct NamedClass {
  std::string name, file;
};

// Returns tokenizer_class of tokenizer_config.json, else of the model's own config.json (null: there is none).
std::optional<NamedClass> named_class(const SideFiles& side_files, const SideFile* model_config);

// Adds a notice for a class of no known family and its consequence, except for classes that use any tokenizer.json as
// it is.
void note_unknown_class(const NamedClass& named, const std::string& consequence, std::vector<std::string>& notices);

// Returns the family that the files name: by tokenizer_class, else by model_type of the model's own config.json; null
// if they name none. Throws Error(kUnsupported) for a class that is not supported.
const TokenizerFamily* named_family(const FileSource& files, const SideFiles& side_files,
                                    const TokenizerFamilies& families, std::vector<std::string>& notices);

// Reads defaults of calls from tokenizer_config.json: model_max_length, model_input_names (whether it has
// token_type_ids), truncation_side, split_special_tokens and clean_up_tokenization_spaces. An absent key changes
// nothing.
void read_call_defaults(const JsonObject& config, TokenizerSettings& settings);

}  // namespace bert
