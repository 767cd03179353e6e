// The command tag: names, places and other entities in a text, that a token classifier was trained to find, or that
// have one of the user's labels.
#include "program/cli/commands/head_command.h"
#include "program/cli/common.h"
#include "program/cli/options/label_options.h"

namespace bert::cli {
namespace {

class Tag : public HeadCommand {
 public:
  void declare(OptionTable& table) override {
    options.words = true;
    declare_input(table, options, kTextOrWordsLines);
    table.begin_group("Entities");
    labels_.declare(table, "of a model that reads labels (GLiNER): what is looked for");
    table.fraction("--threshold", request_.threshold, "with --labels: entities have scores above it (default: 0.5)");
    table.flag("--nested", request_.nested, "with --labels: an entity may lie in another one");
    table.flag("--multi-label", request_.multi_label, "with --labels: an entity may have several of them");
    table.number("--max-words", options.max_words,
                 "with --labels, of a GLiNER model: words of a text that are read (default: the model's max_len)", 1);
    table.number("--max-width", options.max_width,
                 "with --labels, of a GLiNER model: words of an entity at most (default: the model's max_width)", 1);
    table.choice<Aggregation>(
        "--aggregation", kAggregations, aggregation_,
        "how tokens become entities (default: simple): each alone, neighbours of one kind together, "
        "or by words, with the label of the first token, of the mean or of the highest-scoring token; of \"words\" the "
        "last three (default: first)");
    table.choice<TagScheme>(
        "--scheme", kTagSchemes, scheme_,
        "what the letter before a label means where labels become entities (default: auto, the scheme of the model's "
        "labels): B- and I- alone; also E- (end) and S- (single); or L- (last) and U- (unit)");
    declare_run(table, "what the model says",
                {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl, OutputFormat::kCsv});
    declare_keep(table, options, {"entities", "words", "offset_unit", "entity", "score", "word", "start", "end"});
    declare_truncation(table, options);
    declare_long_text(table, options,
                      {.windows_become = "read together: one result a text", .by_default = LongText::kWindows});
    declare_offsets(table, options);
  }
  int run(Console& console) override {
    check_options();
    request_.labels = labels_.labels();
    if (labels_.given() && request_.labels.empty()) throw UsageError("--labels: expected at least one label");
    // An entity is a span of the text.
    TaskNeeds needs{.text = true, .lone = true};
    if (!labels_.given()) needs.head = Head::kTokenClassification;
    return run_texts(*open_input(options), console, needs);
  }

 protected:
  void check(const Sequence& text) const override {
    if (text.input.words && options.given.contains("--aggregation") && aggregation_ == Aggregation::kSimple) {
      throw Error(ErrorCode::kInvalidText, "words have the aggregations first, average and max, not simple");
    }
  }
  TaskCallPtr call(const Model& model) const override {
    if (labels_.given()) return tag_call(model, request_);
    const bool is_of_tokens = aggregation_ == Aggregation::kNone || aggregation_ == Aggregation::kSimple;
    return tag_call(model, {aggregation_, scheme_, is_of_tokens ? Aggregation::kFirst : aggregation_});
  }

  std::vector<std::string> csv_columns() const override { return {"entity", "score", "word", "start", "end"}; }

 private:
  // Each way to entities has options of its own.
  void check_options() const {
    const bool has_labels = labels_.given();
    for (const char* name : {"--threshold", "--nested", "--multi-label"}) {
      if (!has_labels && options.given.contains(name)) throw UsageError(std::string(name) + " needs --labels A,B,…");
    }
    for (const char* name : {"--aggregation", "--scheme"}) {
      if (has_labels && options.given.contains(name)) {
        throw UsageError(std::string(name) + " is of a token classifier's own labels, not with --labels");
      }
    }
  }

  LabelOptions labels_;
  LabelRequest request_;
  Aggregation aggregation_ = Aggregation::kSimple;
  TagScheme scheme_ = TagScheme::kFromLabels;
};

}  // namespace

std::unique_ptr<Command> make_tag() { return std::make_unique<Tag>(); }

}  // namespace bert::cli
