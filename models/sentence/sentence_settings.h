// How a text becomes one vector, from a model's directory: modules.json and the modules that it names,
// sentence_bert_config.json (length limit; lower case, for the tokenizer), config_sentence_transformers.json (prompts,
// number of dimensions). Without modules.json the reference library reads none of them, and neither does this.
// A malformed file is an error here. A valid but unsupported setting must not prevent encoding, so it is kept as the
// Error to throw when embedding needs it. A plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bert/error.h"
#include "bert/model.h"
#include "engine/base/file_source.h"
#include "models/sentence/chat_template.h"
#include "models/sentence/late_settings.h"
#include "models/sentence/sentence_modules.h"

namespace bert {

// The logit of an entry of the vocabulary, less that of another one.
struct LogitScore {
  int32_t true_id = 0;
  std::optional<int32_t> false_id = {};
  ChatTemplate chat_template;
};

struct SentenceSettings {
  PoolingSettings pooling;              // without modules.json: mean over all tokens, not normalised, not declared
  std::vector<SentenceModule> modules;  // after the Transformer; a Normalize at the end is pooling.normalize

  // For a CrossEncoder whose last module makes the scores: its modules after the Transformer, which make a text's or a
  // pair's logits; then pooling_refusal is set.
  std::vector<SentenceModule> classifier;
  // For a late-interaction model, whose texts have a vector for each token; then pooling_refusal is set, except for
  // BGE-M3's head.
  std::optional<LateSettings> late;
  // For a CrossEncoder that is a language model: what its last token's outputs are for two entries of the vocabulary,
  // and the text that a pair becomes; then pooling_refusal is set.
  std::optional<LogitScore> logit_score;
  // What makes a text's sparse vector; then pooling_refusal is set, except for BGE-M3's head.
  std::optional<SparseModule> sparse;
  std::optional<size_t> max_active;  // max_active_dims: how many of the largest weights are kept
  bool is_sparse_encoder = false;    // model_type says SparseEncoder

  // To throw when embed is called and …
  std::optional<Error> pooling_refusal;  // … the caller names no pooling: unsupported module or mode
  std::optional<Error> prompt_refusal;   // … a prompt is used: pooling excludes its tokens

  std::map<std::string, std::string> prompts;  // text put before the input, by name
  std::string default_prompt;                  // the name of the default prompt; "": none

  std::optional<size_t> max_length;   // tokens, with special ones; as in the file, not yet lowered
  bool has_routes = false;            // a Router chose modules by the task
  std::string transformer_directory;  // the folder of config.json and the weights in modules.json; mostly ""
  std::string similarity_fn;          // similarity_fn_name; "": not given
  std::string activation_fn;          // of a CrossEncoder, as in ModelConfig; "": not given here
  std::vector<std::string> notices;   // messages for the user
};

// Sets `why` as the error of embedding, unless one is set, and replaces the modules by the plain mean.
void refuse_pooling(SentenceSettings& settings, const Error& why);

// Throws Error(kInvalidFile), and what follow_routes (models/sentence/router.h) throws. `hidden_size` is the width of a
// token's vector; 0: unknown, not compared. task: chooses the route of a Router. static_file: as in LoadOptions.
SentenceSettings read_sentence_settings(const FileSource& files, size_t hidden_size = 0,
                                        const std::optional<std::string>& task = {},
                                        StaticFile static_file = StaticFile::kConfig);

// do_lower_case of the Transformer module's settings, which stand beside its weights: its texts are lower-cased before
// the tokenizer's normalizer. False without modules.json.
bool lowercases_first(const FileSource& files, const std::optional<std::string>& task = {});

// SentenceSettings::transformer_directory alone: reads only modules.json and the Router's file. Throws
// Error(kUnsupported) if the first module is another and there is no config.json beside modules.json.
std::string read_transformer_directory(const FileSource& files, const std::optional<std::string>& task = {});

// What a model without an encoder reads, in read_transformer_directory: the rows of a StaticEmbedding or of model2vec,
// the weights of a SparseStaticEmbedding. kNone: the model has an encoder.
enum class StaticKind { kNone, kRows, kTokenWeights };
StaticKind static_kind(const FileSource& files, const std::optional<std::string>& task = {},
                       StaticFile static_file = StaticFile::kConfig);

// The limit in effect: the sentence settings' first, then the tokenizer's, then the position table's. A limit above the
// position table is lowered to it, with a notice.
struct LengthLimits {
  std::optional<size_t> sentence;
  std::optional<size_t> tokenizer;
  std::optional<size_t> positions;
};
struct LengthLimit {
  std::optional<size_t> tokens;  // nullopt if no file has one
  std::string notice;            // empty: none
};
LengthLimit resolve_length_limit(const LengthLimits& limits);

}  // namespace bert
