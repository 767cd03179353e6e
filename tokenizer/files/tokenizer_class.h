// What a tokenizer class of the reference creates itself from a vocabulary, whatever tokenizer.json says: normalizer,
// pre-tokenizer, decoder, the model's options and the template. Source: Hugging Face transformers 5.23, the tokenizer
// classes. Stateless; safe to call from many threads.
#pragma once

#include "engine/base/file_source.h"
#include "engine/base/json/json_object.h"
#include "tokenizer/family.h"
#include "tokenizer/files/side_files.h"
#include "tokenizer/files/special_tokens.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/settings.h"

namespace bert {

// The tokenizer class that the reference loads.
struct TokenizerClass {
  const TokenizerFamily* family = nullptr;  // null: a class that uses tokenizer.json as it is
  bool has_segments = true;                 // the model gets type_ids
  UnappliedText unapplied_text = UnappliedText::kNone;
};

// Returns the class that the reference loads beside tokenizer.json: tokenizer_class of tokenizer_config.json or
// config.json, else the class of model_type.
TokenizerClass class_beside_json(const FileSource& files, const SideFiles& side_files,
                                 const TokenizerFamilies& families, std::vector<std::string>& notices);

// Returns whether the class rebuilds a model of tokenizer.json's kind; adds a notice if it expects another kind.
bool rebuilds(const TokenizerFamily* family, TokenizerSettings& settings);

// Replaces the parts that the class creates itself; a notice names each value that changes. config:
// tokenizer_config.json or null.
void rebuild(const TokenizerFamily& family, const JsonObject* config, const SpecialTokens& special,
             TokenizerJson& file);

// Returns the id that the class uses for characters that no piece covers. usual: the id of the file or of unk_id of
// tokenizer_config.json, for classes that name no id of their own. Throws Error(kInvalidFile) if the id is past the
// vocabulary's end.
int32_t unknown_piece(const TokenizerFamily& family, const SpecialTokens& special, int32_t usual,
                      const TokenizerSettings& settings);

// Adds notices for the switches of tokenizer_config.json that are not applied, because tokenizer.json is used as it is.
void note_unapplied_switches(const JsonObject& config, TokenizerSettings& settings);

// Adds notices for the parts of tokenizer.json that the reference's class would replace but this library uses.
// add_prefix_space of tokenizer_config.json is applied for Qwen2's class; the parts of Llama's, BigBird's and mBART's
// class are replaced. config: null if there is no tokenizer_config.json.
void note_unapplied_text(UnappliedText text, const JsonObject* config, TokenizerSettings& settings);

// Returns the class's template with the ids of its tokens, which are looked up in `settings`. Throws
// Error(kInvalidFile) if a file sets one of the tokens to null.
PostProcessor class_template(const TokenizerFamily& family, const SpecialTokens& special,
                             const TokenizerSettings& settings);

// Returns "true" or "false".
std::string true_or_false(bool value);

// Throws Error(kInvalidArgument) if options.lowercase is set and differs from `lowercase`, which is whether the files'
// tokenizer lower-cases texts. says: how the files express this, for the message.
void check_lowercase_option(const TokenizerOptions& options, bool lowercase, const std::string& says);

}  // namespace bert
