// The command tokenize: prints the tokens of texts; --decode does the inverse. It reads no weights.
#include <charconv>
#include <memory>

#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/output/results.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {
namespace {

std::string ids_line(const Encoding& encoding) {
  std::string line;
  for (const int32_t id : encoding.ids) {
    if (!line.empty()) line += ' ';
    append_number(line, id);
  }
  return line + '\n';
}

// Parses numbers between spaces, commas and brackets: "101 7592 102", "[101, 7592, 102]".
std::vector<int32_t> parse_ids(std::string_view text) {
  std::vector<int32_t> ids;
  for (size_t at = 0; (at = text.find_first_not_of(" \t,[]", at)) != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(" \t,[]", at), text.size());
    int32_t id = 0;
    const auto [rest, status] = std::from_chars(text.data() + at, text.data() + end, id);
    if (status != std::errc() || rest != text.data() + end) {
      throw Error(ErrorCode::kInvalidText, shortened(in_quotes(text.substr(at, end - at))) + " is not a token id");
    }
    ids.push_back(id);
    at = end;
  }
  return ids;
}

class Tokenize : public Command {
 public:
  void declare(OptionTable& table) override {
    options.words = true;
    declare_input(table, options, kTextIdsOrWordsLines);
    declare_pair(table, options);
    declare_tokenizer(table, options);
    declare_lengths(table, options, "what the model says; 0: no limit");
    declare_truncation(table, options);
    declare_long_text(table, options, {.windows_become = "one result for each window"});
    table.begin_group("Decoding");
    table.flag("--decode", decode_, "go from ids to text: the words, or each line of the input, are ids");
    table.flag("--skip-special-tokens", skip_special_tokens_, "with --decode: leave [CLS], [SEP] and their like out");
    declare_offsets(table, options);
    declare_output(table, options,
                   {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl, OutputFormat::kIds});
  }

  int run(Console& console) override {
    if (decode_) check_decode_options();
    if (options.offset_unit && options.format == OutputFormat::kIds) {
      throw UsageError("--format ids has no places in the text, and no --offsets");
    }
    if (skip_special_tokens_ && !decode_) throw UsageError("--skip-special-tokens goes with --decode");
    const std::unique_ptr<Input> input = open_input(decode_ ? with_joined_texts() : options);
    Output output(options.output, Output::Access::kStream);
    const LoadedTokenizer loaded = load_tokenizer_only(options, console);
    RunSummary summary(*input, output, console);
    JsonResults json(output, options.format);
    if (decode_) {
      for (Item item; next(*input, item, output);) {
        Sequence sequence;
        const std::string text = decode_item(item, loaded.tokenizer, sequence);
        write_decoded(sequence, text, output, json);
        summary.count(sequence);
      }
    } else {
      TokenRules rules =
          token_rules(options, loaded.tokenizer.added_special_tokens(false), loaded.max_length, loaded.max_positions);
      rules.no_ids = std::string(kNeedsText) + " (--decode goes from ids to text)";
      Sequences sequences(*input, loaded.tokenizer, rules);
      for (Sequence sequence; sequences.next(sequence);) {
        write_tokens(sequence, loaded.tokenizer, output, json);
        summary.count(sequence);
        if (!sequences.ready()) output.flush();
      }
    }
    json.finish();
    return summary.finish(output);
  }

 private:
  void check_decode_options() const {
    if (options.format == OutputFormat::kIds) throw UsageError("--decode gives text; --format ids has none");
    if (!options.pairs.empty()) throw UsageError("--decode takes ids, and no --pair");
    if (options.max_length || options.stride || options.long_text) {
      throw UsageError("--decode cuts nothing: --max-length, --long-text and --stride do not go with it");
    }
    if (options.truncation.has_value()) throw UsageError("--decode cuts nothing: --truncation does not go with it");
    if (options.offset_unit.has_value()) throw UsageError("--decode gives text: --offsets does not go with it");
    if (options.split_special_tokens) {
      throw UsageError("--decode has ids for a text: --split-special-tokens does not go with it");
    }
  }

  // Joins the words, because "--decode 101 7592 102" is one sequence, not three.
  Options with_joined_texts() const {
    Options joined = options;
    if (options.texts.size() > 1) {
      joined.texts.assign(1, "");
      for (const std::string& text : options.texts) joined.texts[0] += text + " ";
    }
    return joined;
  }

  // Flushes before it waits for input.
  static bool next(Input& input, Item& item, Output& output) {
    Input::State state = input.next(item, Input::Wait(0));
    if (state == Input::State::kNotYet) {
      output.flush();
      state = input.next(item, TextSource::kForever);
    }
    return state == Input::State::kItem;
  }

  std::string decode_item(Item& item, const Tokenizer& tokenizer, Sequence& sequence) const {
    sequence.source = item.source;
    try {
      if (item.error) throw *item.error;
      if (options.has_records() && !item.ids.has_value()) {
        throw Error(ErrorCode::kInvalidText, "--decode needs \"ids\", not a \"text\"");
      }
      return decode(item, tokenizer, sequence.tokens.encoding.ids);
    } catch (const Error& error) {
      sequence.error = error;
      return "";
    }
  }

  std::string decode(Item& item, const Tokenizer& tokenizer, std::vector<int32_t>& ids) const {
    ids = item.ids.has_value() ? std::move(*item.ids) : parse_ids(item.text);
    for (const int32_t id : ids) {
      // Tokenizer::decode skips such an id, as the reference does, so the user is told. A blank line of the vocabulary
      // is a token.
      if (tokenizer.token(id).empty() && tokenizer.id("") != id) {
        throw Error(ErrorCode::kInvalidArgument, "no token has the id " + std::to_string(id) +
                                                     "; the vocabulary ends at " +
                                                     std::to_string(tokenizer.vocabulary_size() - 1));
      }
    }
    return tokenizer.decode(ids, skip_special_tokens_);
  }

  void write_decoded(const Sequence& sequence, const std::string& text, Output& output, JsonResults& json) const {
    if (options.format == OutputFormat::kText) {
      return output.write((output.is_terminal() ? one_line(text) : text) + "\n");
    }
    if (sequence.error) return json.add(error_object(sequence));
    JsonWriter object = begin_result(sequence);
    object.numbers<int32_t>("ids", sequence.tokens.encoding.ids);
    object.string("text", text);
    json.add(object.take());
  }

  void write_tokens(const Sequence& sequence, const Tokenizer& tokenizer, Output& output, JsonResults& json) {
    const bool failed = sequence.error.has_value();
    if (options.format == OutputFormat::kIds) return output.write(failed ? "\n" : ids_line(sequence.tokens.encoding));
    if (options.format == OutputFormat::kText) {
      return output.write(failed ? "\n" : table_text(sequence, tokenizer, output));
    }
    if (failed) return json.add(error_object(sequence));
    JsonWriter object = begin_result(sequence);
    add_encoding(object, sequence, &tokenizer);
    json.add(object.take());
  }

  std::string table_text(const Sequence& sequence, const Tokenizer& tokenizer, const Output& output) {
    Table table({{"#", Align::kRight},
                 {"token"},
                 {"id", Align::kRight},
                 {"segment", Align::kRight},
                 {sequence.units == nullptr ? "bytes" : std::string(name(sequence.units->unit())), Align::kRight},
                 {"word", Align::kRight}});
    const Encoding& encoding = sequence.tokens.encoding;
    const std::vector<Offset> offsets =
        sequence.units == nullptr ? encoding.offsets : sequence.units->offsets(encoding);
    for (size_t t = 0; t < encoding.size(); ++t) {
      const bool special = encoding.special_tokens_mask[t] != 0;
      const Offset& offset = offsets[t];
      table.add({std::to_string(t), one_line(tokenizer.token(encoding.ids[t])), std::to_string(encoding.ids[t]),
                 std::to_string(encoding.type_ids[t]),
                 special ? "" : std::to_string(offset.begin) + "-" + std::to_string(offset.end),
                 encoding.word_ids[t] == kNoWord ? "" : std::to_string(encoding.word_ids[t])});
    }
    const bool alone = options.inputs.empty() && options.texts.size() == 1 && !sequence.input.window.has_value();
    const std::string title = alone ? "" : (any_ ? "\n" : "") + result_title(sequence) + "\n";
    any_ = true;
    return title + table.text(output.style());
  }

  bool decode_ = false;
  bool skip_special_tokens_ = false;
  bool any_ = false;
};

}  // namespace

std::unique_ptr<Command> make_tokenize() { return std::make_unique<Tokenize>(); }

}  // namespace bert::cli
