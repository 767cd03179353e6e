// How a text becomes one vector, read from a model's directory: modules.json and the modules that it names,
// sentence_bert_config.json (length limit; lower case, for the tokenizer), config_sentence_transformers.json (prompts,
// number of dimensions). Without modules.json the reference library reads none of them, and neither does this library.
// A malformed file is an error here. A valid but unsupported setting must not prevent encoding, so it is kept as an
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

// The score is the logit of one entry of the vocabulary minus the logit of another entry.
struct LogitScore {
  int32_t true_id = 0;
  std::optional<int32_t> false_id = {};
  ChatTemplate chat_template;
};

struct SentenceSettings {
  PoolingSettings pooling;              // without modules.json: mean over all tokens, not normalised, not declared
  std::vector<SentenceModule> modules;  // after the Transformer; a final Normalize becomes pooling.normalize

  // For a CrossEncoder whose last module makes the scores: its modules after the Transformer, which make the logits of
  // a text or a pair; pooling_refusal is then set.
  std::vector<SentenceModule> classifier;
  // Set for a late-interaction model, whose texts have a vector for each token; pooling_refusal is then set, except for
  // BGE-M3's head.
  std::optional<LateSettings> late;
  // Set for a CrossEncoder that is a language model: the two entries of the vocabulary whose outputs the last token
  // gives, and the template of a pair's text; pooling_refusal is then set.
  std::optional<LogitScore> logit_score;
  // The module for a text's sparse vector; pooling_refusal is then set, except for BGE-M3's head.
  std::optional<SparseModule> sparse;
  std::optional<size_t> max_active;  // max_active_dims: the number of largest weights to keep
  bool is_sparse_encoder = false;    // model_type says SparseEncoder

  // Errors to throw when embed is called and …
  std::optional<Error> pooling_refusal;  // … the caller names no pooling: unsupported module or mode
  std::optional<Error> prompt_refusal;   // … a prompt is used: pooling excludes its tokens

  std::map<std::string, std::string> prompts;  // text put before the input, by name
  std::string default_prompt;                  // the name of the default prompt; "": none

  std::optional<size_t> max_length;   // in tokens, including special ones; as in the file, not yet lowered
  bool has_routes = false;            // a Router chose modules by the task
  std::string transformer_directory;  // the folder of config.json and the weights, by modules.json; usually ""
  std::string similarity_fn;          // similarity_fn_name; "": not given
  std::string activation_fn;          // for a CrossEncoder, as in ModelConfig; "": not given here
  std::vector<std::string> notices;   // messages for the user
};

// Sets `why` as the error of embedding, unless one is already set, and replaces the modules by the plain mean.
void refuse_pooling(SentenceSettings& settings, const Error& why);

// Reads the settings. Throws Error(kInvalidFile), and what follow_routes (models/sentence/router.h) throws.
// hidden_size: the width of a token's vector; 0: unknown, not compared. task: chooses the route of a Router.
// static_file: as in LoadOptions.
SentenceSettings read_sentence_settings(const FileSource& files, size_t hidden_size = 0,
                                        const std::optional<std::string>& task = {},
                                        StaticFile static_file = StaticFile::kConfig);

// Returns do_lower_case of the Transformer module's settings, which are beside its weights: texts are then lower-cased
// before the tokenizer's normalizer. False without modules.json.
bool lowercases_first(const FileSource& files, const std::optional<std::string>& task = {});

// Reads only SentenceSettings::transformer_directory, from modules.json and the Router's file. Throws
// Error(kUnsupported) if the first module is not a Transformer and there is no config.json beside modules.json.
std::string read_transformer_directory(const FileSource& files, const std::optional<std::string>& task);

// What a model without an encoder reads, in read_transformer_directory: the rows of a StaticEmbedding or of model2vec,
// or the weights of a SparseStaticEmbedding. kNone: the model has an encoder.
enum class StaticKind { kNone, kRows, kTokenWeights };
StaticKind static_kind(const FileSource& files, const std::optional<std::string>& task, StaticFile static_file);

}  // namespace bert
