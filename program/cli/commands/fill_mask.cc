// The command fill-mask: prints the most probable words for each [MASK] of a text; with --layers those of every layer.
#include <memory>

#include "program/cli/commands/head_command.h"
#include "program/cli/common.h"
#include "program/cli/explore/report.h"
#include "program/cli/options/task_options.h"

namespace bert::cli {
namespace {

class FillMask : public HeadCommand {
 public:
  void declare(OptionTable& table) override {
    declare_input(table, options);
    declare_pair(table, options);
    table.begin_group("Words");
    declare_task(table, settings_, {"long_text"});
    table.flag("--layers", layers_, "for one TEXT, the words that each layer would predict (default: 3 for each mask)");
    declare_run(table);
    declare_truncation(table, options);
    declare_long_text(table, options);
    declare_interventions(table, interventions_);
    declare_drawn_files(table, drawn_);
  }
  int run(Console& console) override {
    if (layers_) return run_layers(console);
    if (!drawn_.empty()) throw UsageError(std::string(drawn_.html.empty() ? "--svg" : "--html") + " is for --layers");
    return run_texts(*open_input(options), console, {.head = Head::kMaskedLm});
  }

 protected:
  TaskCallPtr call(const Model& model) const override {
    try {
      return make_call(model, settings_);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kInvalidArgument) throw;
      throw Error(error.code(), "--" + std::string(error.what()));
    }
  }

 private:
  int run_layers(Console& console) {
    if (settings_.has("targets")) throw UsageError("--target is not for --layers");
    require_one_text(options);
    require_separate_files(options, drawn_);
    Output output = open_report(options);
    const Model model = changed_model(load_model(options, console), interventions_);
    model.require(Head::kMaskedLm);
    const Sequence sequence = only_sequence(options, model, console);
    const LayerWords words = layer_words(model, sequence.tokens.encoding, settings_.chosen_size("top_k").value_or(3));
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

  bool layers_ = false;
  DrawnFiles drawn_;
  TaskSettings settings_{"fill_mask"};
};

}  // namespace

std::unique_ptr<Command> make_fill_mask() { return std::make_unique<FillMask>(); }

}  // namespace bert::cli
