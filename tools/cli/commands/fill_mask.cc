// The command fill-mask: the most probable words for each [MASK] of a text; with --layers those of every layer.
#include <algorithm>
#include <memory>
#include <optional>

#include "tools/cli/commands/head_command.h"
#include "tools/cli/common.h"
#include "tools/cli/explore/report.h"

namespace bert::cli {
namespace {

class FillMask : public HeadCommand {
 public:
  FillMask() : HeadCommand(Head::kMaskedLm) {}

  void declare(OptionTable& table) override {
    declare_input(table, options);
    declare_pair(table, options);
    table.begin_group("Words");
    table.number("--top-k", top_k_, "words for each mask (default: 5)", 1);
    table.texts("--target", targets_, "WORD",
                "only this word is listed, and those of other --target; scores stay those among all words");
    table.flag("--layers", layers_, "of one TEXT: the words that each layer would say (default: 3 of them)");
    declare_run(table);
    declare_truncation(table, options);
    declare_long_text(table, options);
    declare_interventions(table, interventions_);
    declare_drawn_files(table, drawn_);
  }
  int run(Console& console) override {
    if (layers_) return run_layers(console);
    if (!drawn_.empty()) throw UsageError(std::string(drawn_.html.empty() ? "--svg" : "--html") + " is for --layers");
    return run_texts(*open_input(options), console);
  }

 protected:
  void begin(const Model& model) override {
    mask_ = mask_token_id(model.tokenizer());
    for (const std::string& word : targets_) {
      const std::optional<int32_t> id = model.tokenizer().id(word);
      if (!id) {
        throw Error(ErrorCode::kInvalidArgument,
                    "--target " + in_quotes(word) + ": not a token of the model's vocabulary");
      }
      if (std::find(target_ids_.begin(), target_ids_.end(), *id) == target_ids_.end()) target_ids_.push_back(*id);
    }
  }
  // As the reference, which fails.
  void check(const Model& model, const HeadResult& result) const override {
    const Sequence& read = result.sequence();
    check_masks(model.tokenizer(), read.encoding, read.text,
                read.pair.empty() ? std::nullopt : std::optional<std::string_view>(read.pair));
  }
  LogitsOptions logits_options() const override { return {.only_id = mask_}; }

  void add_members(JsonWriter& object, const Model& model, const HeadResult& result) override {
    append_list(object.member("masks"), masks(model, result), [](std::string& text, const auto& candidates) {
      append_list(text, candidates, [](std::string& inner, const MaskCandidate& candidate) {
        JsonWriter one;
        one.string("token", candidate.token);
        one.number("id", candidate.id);
        one.number("score", candidate.score);
        one.string("sequence", candidate.sequence);
        inner += one.take();
      });
    });
  }
  std::string text(const Model& model, const HeadResult& result) override {
    Table table({{"mask", Align::kRight}, {"score", Align::kRight}, {"token"}, {"sequence"}});
    size_t mask = 0;
    for (const auto& candidates : masks(model, result)) {
      ++mask;
      for (const MaskCandidate& candidate : candidates) {
        table.add(
            {std::to_string(mask), fixed(candidate.score, 6), one_line(candidate.token), one_line(candidate.sequence)});
      }
    }
    return table.text({});
  }

 private:
  int run_layers(Console& console) {
    if (!targets_.empty()) throw UsageError("--target is not for --layers");
    require_one_text(options);
    require_separate_files(options, drawn_);
    Output output = open_report(options);
    const Model model = changed_model(load_model(options, console), interventions_);
    model.require(Head::kMaskedLm);
    const Sequence sequence = only_sequence(options, model, console);
    const LayerWords words = layer_words(model, sequence.encoding, top_k_.value_or(3));
    const std::unique_ptr<Findings> findings = lens_findings(words);
    model.check_files();
    const auto page = [&] {
      Page drawn(findings->title(), page_lead(sequence, model));
      findings->add_to(drawn);
      return drawn;
    };
    write_report(options, drawn_, output,
                 {.page = page,
                  .text = [&](const TextStyle& style) { return findings->text(style); },
                  .json = [&] { return layers_json(sequence, words); }});
    return kDone;
  }

  static std::string layers_json(const Sequence& sequence, const LayerWords& words) {
    JsonWriter object = begin_result(sequence);
    append_list(object.member("layers"), words.words, [](std::string& text, const auto& masks) {
      append_list(text, masks, [](std::string& inner, const auto& candidates) {
        append_list(inner, candidates, [](std::string& innermost, const MaskCandidate& candidate) {
          JsonWriter one;
          one.string("token", candidate.token);
          one.number("id", candidate.id);
          one.number("score", candidate.score);
          innermost += one.take();
        });
      });
    });
    append_list(object.member("last_word"), words.last_word, [](std::string& text, const std::vector<double>& scores) {
      append_list(text, scores, [](std::string& inner, double score) { append_number(inner, score); });
    });
    add_token_counts(object, sequence);
    return object.take();
  }

  std::vector<std::vector<MaskCandidate>> masks(const Model& model, const HeadResult& result) const {
    return mask_candidates(model.tokenizer(), result.sequence().encoding.ids, result.sequence().logits,
                           top_k_.value_or(5), target_ids_);
  }

  bool layers_ = false;
  DrawnFiles drawn_;
  std::optional<size_t> top_k_;
  std::vector<std::string> targets_;
  std::vector<int32_t> target_ids_;
  int32_t mask_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_fill_mask() { return std::make_unique<FillMask>(); }

}  // namespace bert::cli
