#include "program/cli/run/run_summary.h"

#include <algorithm>
#include <filesystem>

#include "program/cli/common.h"

namespace bert::cli {
namespace {

void print_notices(const std::vector<std::string>& notices, Console& console) {
  for (const std::string& notice : notices) console.note(notice);
}

// Reports an unused revision that is given as an option; the environment may set it for all models.
void note_unused_revision(const Options& options, Console& console) {
  std::error_code no;
  const bool is_directory = std::filesystem::is_directory(options.model, no);
  if (!options.revision || !(options.model.empty() || is_directory)) return;
  console.note("--revision " + in_quotes(*options.revision) +
               " is not used: it is of a model in the hub's local cache, " +
               (is_directory ? "and " + in_quotes(options.model) + " is a directory" : "not of the built-in model"));
}

// Returns whether half or more of the text's own tokens are unknown; the model's output then means little.
bool is_largely_unknown(const Sequence& sequence) {
  const std::vector<uint8_t>& mask = sequence.tokens.encoding.special_tokens_mask;
  const auto of_text = static_cast<size_t>(std::count(mask.begin(), mask.end(), uint8_t{0}));
  return sequence.tokens.from_text && sequence.tokens.unknown_tokens > 0 &&
         2 * sequence.tokens.unknown_tokens >= of_text;
}

}  // namespace

void require_no_text(const Options& options, const char* command, const char* instead) {
  if (options.texts.empty()) return;
  throw UsageError(std::string(command) + " takes no TEXT" + instead + "; found " + in_quotes(options.texts.front()));
}

void take_model_and_directory(Options& options, const char* command, const char* needed) {
  if ((options.model.empty() || options.model_is_bundled) && options.texts.size() == 2) {
    options.model = options.texts.front();
    options.texts.erase(options.texts.begin());
  }
  if (options.model.empty() || options.texts.size() != 1) {
    throw UsageError(std::string(command) + " needs " + needed);
  }
}

Model open_model(const std::string& name, const LoadOptions& options) {
  return name.empty() ? Model::builtin(options) : Model::load(name, options);
}

Model load_model(const Options& options, Console& console) {
  note_unused_revision(options, console);
  Model model = open_model(options.model, options.load_options());
  print_notices(model.notices(), console);
  if (options.verbose && model.has_tokenizer()) print_notices(model.tokenizer().remarks(), console);
  return model;
}

LoadedTokenizer load_tokenizer_only(const Options& options, Console& console) {
  note_unused_revision(options, console);
  LoadedTokenizer loaded = options.model.empty() ? builtin_tokenizer(options.load_options())
                                                 : load_tokenizer(options.model, options.load_options());
  print_notices(loaded.notices, console);
  if (options.verbose) print_notices(loaded.tokenizer.remarks(), console);
  return loaded;
}

std::string replaced_positions(const Options& options, const Model& model) {
  return options.positions.is_native() ? "" : model.config().described_positions();
}

TokenRules model_token_rules(const Options& options, const Model& model) {
  if (options.max_length == size_t{0}) throw UsageError("--max-length 0 (no limit) is for tokenize only");
  // Lines of JSON may have ids.
  const size_t special_tokens =
      options.jsonl && !model.has_tokenizer() ? 0 : model.tokenizer().added_special_tokens(false);
  TokenRules rules = token_rules(options, special_tokens, model.max_length(), model.max_positions());
  rules.positions = replaced_positions(options, model);
  return rules;
}

TokenRules embed_token_rules(const Options& options, const Model& model, bool has_prompt) {
  TokenRules rules = model_token_rules(options, model);
  rules.tokenize.only_ids = true;
  if (has_prompt) rules.no_ids = "\"ids\" where --prompt needs a \"text\" to go before";
  return rules;
}

void check_text(const Model& model, const std::string& text, const std::string& name) {
  try {
    model.tokenizer().tokenize(text);
  } catch (const Error& error) {
    throw Error(error.code(), name + ": " + error.what());
  }
}

void settle_pooling(const Model& model, const EmbedOptions& chosen, Console& console) {
  const PoolingSettings settings = model.pooling(chosen);
  if (!settings.unsupported.empty()) {
    console.note(settings.unsupported + "; --pooling is done in its place");
  }
  if (settings.declared || chosen.pooling.has_value()) return;
  console.note(undeclared_pooling(settings) + " (--pooling and --normalize choose)");
  const std::vector<Head>& heads = model.heads();
  if (std::find(heads.begin(), heads.end(), Head::kMaskedLm) != heads.end()) {
    console.note("the model has a masked LM head: if it is a SPLADE model, its vectors are sparse (--kind sparse)");
  }
}

RunSummary::RunSummary(const Input& input, const Output& output, Console& console, const RunCounts& before,
                       uint64_t bytes_before)
    : input_(input),
      console_(console),
      progress_(console, !output.is_terminal(), {before.texts, before.tokens, bytes_before}),
      counts_(before),
      goes_on_(before.texts > 0) {}

void RunSummary::count(const Sequence& result, std::span<const Sequence> sequences) {
  ++counts_.results;
  for (const Sequence& one : sequences) {
    if (!result.error) counts_.tokens += one.tokens.encoding.size();
    if (result.error || !is_largely_unknown(one) || one.source.number == last_unknown_) continue;
    ++counts_.unknown_texts;
    last_unknown_ = one.source.number;
  }
  for (const Sequence& one : sequences) {
    const size_t coarse_rows = one.tokens.coarse_rows();
    if (result.error || coarse_rows == 0) continue;
    counts_.coarse_rows += coarse_rows;
    if (one.source.number != last_coarse_) ++counts_.coarse_texts;
    last_coarse_ = one.source.number;
  }
  for (const Sequence& one : sequences) {
    if (one.tokens.encoding.truncated_tokens > 0) cut_to_ = std::max(cut_to_, one.tokens.encoding.size());
  }
  const bool another_window = result.input.window.value_or(0) > 0;
  if (!another_window) ++counts_.texts;
  if (result.error) {
    if (!another_window || result.source.number != last_failed_) ++counts_.failed;
    last_failed_ = result.source.number;
    console_.error(place_of(result.source) + ": " + result.error->what());
  } else if (result.tokens.encoding.truncated_tokens > 0) {
    ++counts_.cut_texts;
    counts_.cut_tokens += result.tokens.encoding.truncated_tokens;
  }
  progress_.show({counts_.texts, counts_.tokens, input_.bytes_read()}, input_.bytes_total());
}

void RunSummary::count_replaced(std::span<const Redaction> parts) {
  if (!parts.empty()) ++counts_.redacted_texts;
  for (const Redaction& part : parts) ++counts_.replaced[part.label];
}

int RunSummary::finish(Output& output, const Model& model) {
  model.check_files();
  return finish(output);
}

int RunSummary::finish(Output& output) {
  output.commit();
  return finish();
}

int RunSummary::finish() {
  console_.clear_status();
  if (const std::string remark = input_.remark(); !remark.empty()) console_.note(remark);
  if (counts_.texts == 0) console_.note("the input has no texts");
  if (counts_.cut_texts > 0) {
    console_.note(with_commas(counts_.cut_texts) + (counts_.cut_texts == 1 ? " text was" : " texts were") +
                  " too long and cut" + (cut_to_ > 0 ? " to " + with_commas(cut_to_) + " tokens; " : "; ") +
                  with_commas(counts_.cut_tokens) + (counts_.cut_tokens == 1 ? " token was" : " tokens were") +
                  " left out (truncated_tokens in each result; see --max-length)");
  }
  if (counts_.unknown_texts > 0) {
    console_.note(with_commas(counts_.unknown_texts) + (counts_.unknown_texts == 1 ? " text has" : " texts have") +
                  " half or more of " + (counts_.unknown_texts == 1 ? "its" : "their") +
                  " tokens unknown to the model (unknown_tokens in each result)");
  }
  if (counts_.coarse_texts > 0) {
    console_.note(with_commas(counts_.coarse_texts) + (counts_.coarse_texts == 1 ? " text has " : " texts have ") +
                  with_commas(counts_.coarse_rows) + (counts_.coarse_rows == 1 ? " row" : " rows") +
                  " of activations that 8 bits hardly hold: one number is so large that the others are below one step "
                  "(quantize --report names the layers)");
  }
  if (counts_.failed > 0 && (input_.bytes_read() > 0 || goes_on_)) {
    console_.note(with_commas(counts_.failed) + " of " + with_commas(counts_.texts) + " texts failed");
  }
  return counts_.failed > 0 ? kFailed : kDone;
}

}  // namespace bert::cli
