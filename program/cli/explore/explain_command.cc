// The command explain: prints the word, position and segment vector of each token, their sum before and after
// LayerNorm, and how far each layer moves the token's vector; for a late-interaction model also what a query matches in
// a document.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bert/experiments.h"
#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/explore/report.h"
#include "program/cli/explore/text_experiment.h"
#include "program/cli/explore/token_matches.h"
#include "program/cli/output/results.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {
namespace {

class Explain : public TextExperiment {
 public:
  void declare(OptionTable& table) override {
    declare_pair(table, options);
    declare_text_report(table);
    table.begin_group("Late interaction");
    table.flag("--matches", matches_,
               "instead, which token of a document, the --pair, each token of the query TEXT matches");
  }

  int run(Console& console) override { return matches_ ? run_matches(console) : TextExperiment::run(console); }

 private:
  int run_matches(Console& console) {
    require_one_text(options);
    require_separate_files(options, drawn_);
    if (options.pairs.size() != 1)
      throw UsageError("--matches: expected one --pair, the document, " + given(options.pairs.size()));
    const std::unique_ptr<Input> input = open_input(options);
    Item item;
    if (input->next(item, TextSource::kForever) != Input::State::kItem) throw InputError("no text, expected a query");
    if (item.error) throw InputError(item.error->what());
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    const TokenMatches matches(model, item.text, *item.pair, console);
    matches.check_drawable(drawn_);
    model.check_files();
    write_report(options, drawn_, output,
                 {.page = [&] { return matches.page(); },
                  .text = [&](const TextStyle& style) { return matches.text(style); },
                  .json = [&] { return matches.json(); }});
    return kDone;
  }

  std::unique_ptr<Findings> compute(const Model& model, const Sequence& sequence, Console&) override {
    parts_ = token_compositions(model, model.sequence(sequence.tokens.encoding));
    if (parts_.empty()) throw InputError("the text has no tokens, expected some");  // for a static model
    return embedding_findings(parts_,
                              shown_tokens(sequence.tokens.encoding, sequence.input.text, sequence.input.pair, model),
                              sequence.tokens.encoding);
  }

  std::string json(const Sequence& sequence, const Model& model) const override {
    JsonWriter object = begin_result(sequence);
    add_encoding(object, sequence, model);
    std::string& list = object.member("embedding");
    list += '[';
    for (const TokenComposition& token : parts_) {
      JsonWriter one;
      const auto add = [&](const char* name, const std::optional<EmbeddingShare>& part) {
        if (!part) {
          one.member(name) += "null";
          return;
        }
        JsonWriter numbers;
        numbers.number("norm", part->norm);
        numbers.number("share", part->share);
        numbers.number("cosine", part->cosine);
        one.member(name) += numbers.take();
      };
      add("word", token.word);
      add("position", token.position);
      add("segment", token.segment);
      one.number("sum_norm", token.sum_norm);
      one.number("normalized_norm", token.normalized_norm);
      one.number("normalized_cosine", token.normalized_cosine);
      if (list.back() != '[') list += ',';
      list += one.take();
    }
    list += ']';
    std::string& moved = object.member("moved");
    moved += '[';
    for (size_t layer = 0; layer < parts_.front().moved.size(); ++layer) {
      moved += layer == 0 ? "[" : ",[";
      for (size_t t = 0; t < parts_.size(); ++t) {
        if (t > 0) moved += ',';
        append_number(moved, parts_[t].moved[layer]);
      }
      moved += ']';
    }
    moved += ']';
    return object.take();
  }

  bool matches_ = false;
  std::vector<TokenComposition> parts_;  // [tokens]
};

}  // namespace

std::unique_ptr<TextExperiment> make_explain_experiment() { return std::make_unique<Explain>(); }
std::unique_ptr<Command> make_explain() { return make_explain_experiment(); }

}  // namespace bert::cli
