// The command tag: names, places and other entities in a text, that a token classifier was trained to find, or that
// have one of the user's labels.
#include "tools/cli/common.h"
#include "tools/cli/head_command.h"
#include "tools/cli/label_options.h"

namespace bert::cli {
namespace {

class Tag : public HeadCommand {
 public:
  Tag() : HeadCommand(Head::kTokenClassification) {}

  void declare(OptionTable& table) override {
    declare_input(table, options, kLoneTextLines);
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
        "--aggregation",
        {{"none", Aggregation::kNone},
         {"simple", Aggregation::kSimple},
         {"first", Aggregation::kFirst},
         {"average", Aggregation::kAverage},
         {"max", Aggregation::kMax}},
        aggregation_,
        "how tokens become entities (default: none): each alone, neighbours of one kind together, "
        "or by words, with the label of the first token, of the mean or of the highest-scoring token");
    declare_run(table);
    declare_truncation(table, options);
    declare_stride(table, options, "read together: one result a text");
  }
  int run(Console& console) override {
    check_options();
    request_.labels = labels_.labels();
    if (labels_.given() && request_.labels.empty()) throw UsageError("--labels: expected at least one label");
    return run_texts(*open_input(options), console);
  }

 protected:
  TextTask task() const override {
    if (request_.labels.empty()) return HeadCommand::task();
    return request_;
  }
  // An entity is a span of the text.
  void adjust(TokenRules& rules, const Model&) override {
    rules.no_ids = kNeedsText;
    rules.no_pair = kNeedsNoPair;
  }

  void add_members(JsonWriter& object, const Model& model, const HeadResult& result) override {
    append_list(object.member("entities"), entities(model, result), [](std::string& text, const Entity& entity) {
      JsonWriter one;
      one.string("entity", entity.entity);
      one.number("score", entity.score);
      one.string("word", entity.word);
      one.number("start", entity.start);
      one.number("end", entity.end);
      one.number("code_point_start", entity.code_point_start);
      one.number("code_point_end", entity.code_point_end);
      text += one.take();
    });
  }
  std::string text(const Model& model, const HeadResult& result) override {
    const std::vector<Entity> found = entities(model, result);
    if (found.empty()) return "no entities\n";
    Table table({{"entity"}, {"score", Align::kRight}, {"word"}, {"start", Align::kRight}, {"end", Align::kRight}});
    for (const Entity& entity : found) {
      table.add({one_line(entity.entity), fixed(entity.score, 6), one_line(entity.word), std::to_string(entity.start),
                 std::to_string(entity.end)});
    }
    return table.text({});
  }

 private:
  std::vector<Entity> entities(const Model& model, const HeadResult& result) const {
    if (!request_.labels.empty()) return result.sequence().entities;
    return find_entities(model, result.sequence().text, result.token_logits(), aggregation_);
  }

  // Each way to entities has options of its own.
  void check_options() const {
    const bool has_labels = labels_.given();
    for (const char* name : {"--threshold", "--nested", "--multi-label"}) {
      if (!has_labels && options.given.contains(name)) throw UsageError(std::string(name) + " needs --labels A,B,…");
    }
    for (const char* name : {"--aggregation", "--stride"}) {
      if (has_labels && options.given.contains(name)) {
        throw UsageError(std::string(name) + " is of a token classifier's own labels, not with --labels");
      }
    }
  }

  LabelOptions labels_;
  LabelRequest request_;
  Aggregation aggregation_ = Aggregation::kNone;
};

}  // namespace

std::unique_ptr<Command> make_tag() { return std::make_unique<Tag>(); }

}  // namespace bert::cli
