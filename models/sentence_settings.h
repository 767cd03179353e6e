// How a directory says a text becomes one vector: modules.json and the modules that it names, sentence_bert_config.json
// (length limit, lower case), config_sentence_transformers.json (prompts, how many numbers are kept). Without
// modules.json the reference library reads none of them, and neither does this.
// A file that is malformed is an error here. A setting that is valid but not done by this library must not keep anyone
// from encoding, so it is kept as the Error to throw when embedding needs it. A plain value.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bert/error.h"
#include "bert/model.h"
#include "engine/base/file_source.h"
#include "models/sentence_modules.h"

namespace bert {

struct SentenceSettings {
  PoolingSettings pooling;              // without modules.json: mean over all tokens, not normalised, not declared
  std::vector<SentenceModule> modules;  // after the Transformer; a Normalize at the end is pooling.normalize

  // To throw when embed is asked for and …
  std::optional<Error> pooling_refusal;  // … the caller names no pooling: another module or mode than this library's
  std::optional<Error> prompt_refusal;   // … a prompt goes before the text: pooling leaves its tokens out
  std::optional<Error> lowercase_refusal;  // … the tokenizer does not lowercase: the model does so before it

  std::map<std::string, std::string> prompts;  // what goes before a text, by name
  std::string default_prompt;                  // the name of the one that does where none is asked for; "": none

  std::optional<size_t> max_length;   // tokens, special ones counted; as the file says, not yet lowered
  std::string transformer_directory;  // the folder of config.json and the weights, as modules.json says; "" mostly
  std::string activation_fn;          // of a CrossEncoder, as ModelConfig has it; "": not said here
  std::vector<std::string> notices;   // what a person should know
};

// Makes `why` what embedding throws, if nothing was before, and the modules the plain mean that stands for them.
void refuse_pooling(SentenceSettings& settings, const Error& why);

// Throws Error(kInvalidFile). `hidden_size` is what one token's vector has; 0: not known, not compared.
SentenceSettings read_sentence_settings(const FileSource& files, size_t hidden_size = 0);

// Which limit holds: the sentence settings' before the tokenizer's before the position table's. One that is above the
// position table is lowered to it, which the notice says.
struct LengthLimits {
  std::optional<size_t> sentence;
  std::optional<size_t> tokenizer;
  std::optional<size_t> positions;
};
struct LengthLimit {
  std::optional<size_t> tokens;  // none where no file says one
  std::string notice;            // empty: nothing to say
};
LengthLimit resolve_length_limit(const LengthLimits& limits);

}  // namespace bert
