// What a tokenizer class of the reference makes itself of a vocabulary, whatever tokenizer.json says: normalizer,
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
  const TokenizerFamily* family = nullptr;  // null: one that takes tokenizer.json as it is
  bool has_segments = true;                 // the model gets type_ids
  UnappliedText unapplied_text = UnappliedText::kNone;
};

// The class that the reference loads beside tokenizer.json: tokenizer_class of tokenizer_config.json or config.json,
// else the class of model_type.
TokenizerClass class_beside_json(const FileSource& files, const SideFiles& side_files,
                                 const TokenizerFamilies& families, std::vector<std::string>& notices);

// Whether the class rebuilds a model of the kind that tokenizer.json has; where it expects another, a notice says so.
bool rebuilds(const TokenizerFamily* family, TokenizerSettings& settings);

// Replaces what the class makes itself. A notice names each value that changes. config: tokenizer_config.json or null.
void rebuild(const TokenizerFamily& family, const JsonObject* config, const SpecialTokens& special,
             TokenizerJson& file);

// The id that the class gives characters without a piece. usual: what the file itself says, or unk_id of
// tokenizer_config.json; for classes that name no id of their own. Throws Error(kInvalidFile) past the vocabulary's
// end.
int32_t unknown_piece(const TokenizerFamily& family, const SpecialTokens& special, int32_t usual,
                      const TokenizerSettings& settings);

// Notes the switches of tokenizer_config.json that are not applied, because tokenizer.json is taken as it is.
void note_unapplied_switches(const JsonObject& config, TokenizerSettings& settings);

// Notes the parts of tokenizer.json that the reference's class would replace and that are used as they are. Qwen2's has
// add_prefix_space of tokenizer_config.json, which is applied; the parts of Llama's, BigBird's
// and mBART's are replaced. config: null if there is
// no such file.
void note_unapplied_text(UnappliedText text, const JsonObject* config, TokenizerSettings& settings);

// The class's template with the ids of its tokens; `settings` has its added tokens. Throws Error(kInvalidFile) if a
// file sets one of them to null.
PostProcessor class_template(const TokenizerFamily& family, const SpecialTokens& special,
                             const TokenizerSettings& settings);

}  // namespace bert
