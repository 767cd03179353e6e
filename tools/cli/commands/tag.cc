// The command tag: names, places and other entities in a text, that a token classifier was trained to find, or that
// have one of the user's labels.
#include "tools/cli/commands/head_command.h"
#include "tools/cli/common.h"
#include "tools/cli/options/label_options.h"

namespace bert::cli {
namespace {

class Tag : public HeadCommand {
 public:
  Tag() : HeadCommand(Head::kTokenClassification) {}

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
    return run_texts(*open_input(options), console);
  }

 protected:
  void check(const Model&, const HeadResult& result) const override {
    if (result.sequence().words && options.given.contains("--aggregation") && aggregation_ == Aggregation::kSimple) {
      throw Error(ErrorCode::kInvalidText, "words have the aggregations first, average and max, not simple");
    }
  }
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
    if (const auto& words = result.sequence().words) {
      return append_words(object.member("words"), *words, labels_of_words(model, result));
    }
    const OffsetUnits* units = units_of(result);
    append_list(object.member("entities"), entities(model, result), [&](std::string& text, const Entity& entity) {
      JsonWriter one;
      one.string("entity", entity.entity);
      one.number("score", entity.score);
      one.string("word", entity.word);
      add_place(one, {entity.start, entity.end}, {entity.code_point_start, entity.code_point_end}, units);
      text += one.take();
    });
    add_offset_unit(object, result.sequence());
  }
  std::string text(const Model& model, const HeadResult& result) override {
    if (result.sequence().words) return words_text(model, result);
    const std::vector<Entity> found = entities(model, result);
    if (found.empty()) return "no entities\n";
    Table table({{"entity"}, {"score", Align::kRight}, {"word"}, {"start", Align::kRight}, {"end", Align::kRight}});
    const OffsetUnits* units = units_of(result);
    for (const Entity& entity : found) {
      table.add({one_line(entity.entity), fixed(entity.score, 6), one_line(entity.word),
                 place_text(entity.start, units), place_text(entity.end, units)});
    }
    return table.text({});
  }

  std::vector<std::string> csv_columns() const override { return {"entity", "score", "word", "start", "end"}; }
  // One for each entity, or for each of the text's words, which have no places.
  std::vector<std::vector<std::string>> csv_rows(const Model& model, const HeadResult& result) override {
    std::vector<std::vector<std::string>> rows;
    const auto add = [&](const std::string& entity, double score,
                         const std::string& word) -> std::vector<std::string>& {
      std::vector<std::string>& row = rows.emplace_back(std::vector<std::string>{entity, "", word, "", ""});
      if (!entity.empty()) append_number(row[1], score);
      return row;
    };
    if (result.sequence().words) {
      size_t next = 0;
      for (const WordLabel& label : labels_of_words(model, result)) {
        add(label.label, label.score, (*result.sequence().words)[next++]);
      }
      return rows;
    }
    const OffsetUnits* units = units_of(result);
    for (const Entity& entity : entities(model, result)) {
      std::vector<std::string>& row = add(entity.entity, entity.score, entity.word);
      row[3] = place_text(entity.start, units);
      row[4] = place_text(entity.end, units);
    }
    return rows;
  }

 private:
  static const OffsetUnits* units_of(const HeadResult& result) {
    const auto& units = result.sequence().units;
    return units == nullptr ? nullptr : &units->of_text();
  }

  std::string words_text(const Model& model, const HeadResult& result) const {
    Table table({{"word"}, {"label"}, {"score", Align::kRight}});
    const std::vector<WordLabel> labels = labels_of_words(model, result);
    for (size_t i = 0; i < labels.size(); ++i) {
      const bool has_label = !labels[i].label.empty();
      table.add({one_line((*result.sequence().words)[i]), one_line(labels[i].label),
                 has_label ? fixed(labels[i].score, 6) : ""});
    }
    return table.text({});
  }

  std::vector<WordLabel> labels_of_words(const Model& model, const HeadResult& result) const {
    const bool is_of_tokens = aggregation_ == Aggregation::kNone || aggregation_ == Aggregation::kSimple;
    const Aggregation how = is_of_tokens ? Aggregation::kFirst : aggregation_;
    return label_words(model, result.token_logits()[0], result.sequence().words->size(), how);
  }

  std::vector<Entity> entities(const Model& model, const HeadResult& result) const {
    if (!request_.labels.empty()) return merge_windows(result.window_entities());
    return find_entities(model, result.sequence().text, result.token_logits(), aggregation_, scheme_);
  }

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
