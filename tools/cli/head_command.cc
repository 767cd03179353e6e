#include "tools/cli/head_command.h"

#include "tools/cli/batcher.h"

namespace bert::cli {

std::vector<TokenLogits> HeadResult::token_logits() const {
  std::vector<TokenLogits> all;
  for (size_t i = 0; i < logits.size(); ++i) all.push_back({&windows[i].encoding, &logits[i]});
  return all;
}

void HeadCommand::declare_run(OptionTable& table, const std::string& length_by_default) {
  declare_model(table, options);
  declare_lengths(table, options, length_by_default);
  declare_output(table, options, {"text", "json", "jsonl"});
  declare_batches(table, options, kBatchTokens);
}

int HeadCommand::run_texts(Input& input, Console& console) {
  Output output(options.output, Output::Access::kStream);
  const Model model = load_model(options, console);
  model.require(head_);
  begin(model);
  TokenRules rules = model_token_rules(options, model);
  adjust(rules, model);

  Job job(input, output, console);
  JsonResults json(output, options.format == "json" ? JsonResults::Layout::kDocument : JsonResults::Layout::kLines);
  const bool titles = has_titles() && (!options.input.empty() || options.texts.size() > 1);
  bool any = false;
  HeadResult gathered;
  const auto emit = [&] {
    if (gathered.windows.empty()) return;
    HeadResult result = std::move(gathered);
    gathered = {};
    Sequence account = result.sequence();
    account.window.reset();
    account.encoding.truncated_tokens = 0;
    for (const Sequence& window : result.windows) {
      account.encoding.truncated_tokens += window.encoding.truncated_tokens;
      if (account.error.empty()) account.error = window.error;
    }
    if (options.format != "text" && !account.error.empty()) {
      json.add(error_object(account));
    } else if (options.format != "text") {
      JsonObject object = begin_result(account);
      add_members(object, model, result);
      object.number("truncated_tokens", account.encoding.truncated_tokens);
      json.add(object.take());
    } else if (!account.error.empty()) {
      output.write("\n");
    } else {
      if (titles) output.write((any ? "\n" : "") + result_title(account) + "\n");
      output.write(text(model, result));
    }
    any = true;
    job.count(account);
  };
  Batcher<Logits> batcher(
      model, options.batch_tokens.value_or(kBatchTokens),
      [&](std::span<const TokenSequence> batch) { return model.logits(head_, batch, logits_options()); },
      [&](const Sequence& sequence, const Logits& logits) {
        if (sequence.window.value_or(0) == 0) emit();
        gathered.windows.push_back(sequence);
        gathered.logits.push_back(logits);
      });
  Sequences sequences(input, model.tokenizer(), rules);
  for (Sequence sequence; sequences.next(sequence);) {
    if (batcher.add(std::move(sequence))) output.flush();
  }
  batcher.flush();
  emit();
  if (options.format == "json") json.finish();
  output.commit();
  return job.finish();
}

}  // namespace bert::cli
