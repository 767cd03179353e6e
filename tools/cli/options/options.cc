#include "tools/cli/options/options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>

#include "tools/cli/output/console.h"
#include "tools/cli/output/output.h"

namespace bert::cli {
namespace {

// "--max-length" is BERT_INFER_MAX_LENGTH.
std::string environment_name(const std::string& option) {
  std::string name = "BERT_INFER_";
  for (const char c : option.substr(option.find_first_not_of('-'))) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

// Values of a switch in the environment; on the command line it has no value, or one of these after =.
std::function<std::string(const std::string&)> is_switch(const std::string& name) {
  return [name](const std::string& given) {
    const std::string word = CLI::detail::to_lower(given);
    for (const char* known : {"true", "false", "1", "0", "on", "off", "yes", "no"}) {
      if (word == known) return std::string();
    }
    throw ValueError(name, in_quotes(given) + ": expected true or false");
  };
}

// Between commas; "a," has an empty one at the end.
std::vector<std::string> parts(const std::string& given) {
  std::vector<std::string> found(1);
  for (const char c : given) {
    if (c == ',') {
      found.emplace_back();
    } else {
      found.back() += c;
    }
  }
  return found;
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : separator) + word;
  return result;
}

}  // namespace

LoadOptions Options::load_options() const {
  LoadOptions load;
  load.threads = threads.value_or(0);
  load.gemm = gemm;
  load.precision = precision;
  load.packing = packing;
  load.ignore_unexpected = ignore_unexpected;
  load.check_tensors = check_tensors;
  if (revision) load.revision = *revision;
  load.task = task;
  load.static_file = static_file;
  load.layers = layers;
  load.encoder = encoder;
  load.max_words = max_words;
  load.max_width = max_width;
  if (cased || uncased) load.tokenizer.lowercase = uncased;
  return load;
}

void OptionTable::place(CLI::Option* option, const std::string& name) {
  option->envname(environment_name(name))->group(group_);
}

void OptionTable::text(const std::string& name, std::string& target, const char* value_name, const std::string& help) {
  const auto set = [name, value_name, &target](const std::string& given) {
    if (given.empty()) throw ValueError(name, std::string("'': expected ") + value_name);
    target = given;
  };
  place(app_.add_option_function<std::string>(name, set, help)->type_name(value_name), name);
}

void OptionTable::text(const std::string& name, std::optional<std::string>& target, const char* value_name,
                       const std::string& help) {
  const auto set = [&target](const std::string& given) { target = given; };
  place(app_.add_option_function<std::string>(name, set, help)->type_name(value_name), name);
}

void OptionTable::texts(const std::string& name, std::vector<std::string>& target, const char* value_name,
                        const std::string& help) {
  // One value per occurrence of the option, unchanged: no list in brackets, no following words.
  place(app_.add_option(name, target, help)->type_name(value_name)->allow_extra_args(false), name);
}

void OptionTable::number(const std::string& name, std::optional<size_t>& target, const std::string& help,
                         size_t minimum, size_t maximum) {
  const auto set = [name, minimum, maximum, &target](const std::string& given) {
    size_t number = 0;
    const auto [rest, status] = std::from_chars(given.data(), given.data() + given.size(), number);
    if (status != std::errc() || rest != given.data() + given.size() || number < minimum || number > maximum) {
      throw ValueError(name, in_quotes(given) + ": expected a whole number of " + std::to_string(minimum) +
                                 (maximum == SIZE_MAX ? " or more" : " to " + std::to_string(maximum)));
    }
    target = number;
  };
  place(app_.add_option_function<std::string>(name, set, help)->type_name("N"), name);
}

void OptionTable::flag(const std::string& name, bool& target, const std::string& help) {
  place(app_.add_flag(name, target, help)->check(is_switch(name)), name);
}

void OptionTable::on_or_off(const std::string& name, std::optional<bool>& target, const std::string& help) {
  const std::string both = name + ",!--no-" + name.substr(2);
  const auto set = [&target](int64_t count) { target = count > 0; };
  place(app_.add_flag_function(both, set, help)->check(is_switch(name)), name);
}

void OptionTable::exclude(const std::string& one, const std::string& other) {
  app_.get_option(one)->excludes(app_.get_option(other));
}

void OptionTable::one_of(const std::string& name, const std::vector<std::string>& words,
                         const std::function<void(size_t)>& set, const std::string& help) {
  const auto find = [name, words, set](const std::string& given) {
    const auto found = std::find(words.begin(), words.end(), given);
    if (found == words.end()) {
      throw ValueError(name, in_quotes(given) + ": expected one of " + joined(words, ", "));
    }
    set(static_cast<size_t>(found - words.begin()));
  };
  place(app_.add_option_function<std::string>(name, find, help)->type_name(joined(words, "|")), name);
}

void OptionTable::some_of(const std::string& name, const std::vector<std::string>& words,
                          const std::function<void(const std::vector<size_t>&)>& set, const std::string& help) {
  const auto find = [name, words, set](const std::string& given) {
    std::vector<size_t> indices;
    for (const std::string& word : parts(given)) {
      const auto found = std::find(words.begin(), words.end(), word);
      const auto index = static_cast<size_t>(found - words.begin());
      if (found == words.end() || std::find(indices.begin(), indices.end(), index) != indices.end()) {
        throw ValueError(name, in_quotes(given) + ": expected one or more of " + joined(words, ", ") +
                                   ", each once, with commas between");
      }
      indices.push_back(index);
    }
    set(indices);
  };
  place(app_.add_option_function<std::string>(name, find, help)->type_name(joined(words, "|") + ",…"), name);
}

void OptionTable::positive(const std::string& name, double& target, const std::string& help) {
  between(name, HUGE_VAL, target, "a number above 0", help);
}

void OptionTable::fraction(const std::string& name, double& target, const std::string& help) {
  between(name, 1, target, "a number above 0 and below 1", help);
}

void OptionTable::between(const std::string& name, double limit, double& target, const char* expected,
                          const std::string& help) {
  const auto set = [name, limit, expected, &target](const std::string& given) {
    double number = 0;
    const auto [rest, status] = std::from_chars(given.data(), given.data() + given.size(), number);
    if (status != std::errc() || rest != given.data() + given.size() || !(number > 0 && number < limit)) {
      throw ValueError(name, in_quotes(given) + ": expected " + expected);
    }
    target = number;
  };
  place(app_.add_option_function<std::string>(name, set, help)->type_name("X"), name);
}

void OptionTable::ranges(const std::string& name, size_t most, std::vector<size_t>& target, const std::string& help) {
  const auto set = [name, most, &target](const std::string& given) {
    const auto refuse = [&](const std::string& problem) { throw ValueError(name, in_quotes(given) + ": " + problem); };
    std::set<size_t> numbers;
    for (const std::string& word : parts(given)) {
      const char* const end = word.data() + word.size();
      size_t first = 0, last = 0;
      auto read = std::from_chars(word.data(), end, first);
      last = first;
      if (read.ec == std::errc() && read.ptr != end && *read.ptr == '-') {
        read = std::from_chars(read.ptr + 1, end, last);
      }
      if (read.ec != std::errc() || read.ptr != end || last < first) {
        refuse("found " + in_quotes(word) + ", expected " +
               (read.ec == std::errc() && read.ptr == end ? "FIRST-LAST with FIRST at most LAST"
                                                          : "N or FIRST-LAST, whole numbers, with commas between"));
      }
      if (last - first >= most || numbers.size() + last - first >= most) {
        refuse("more than " + std::to_string(most) + " numbers, expected at most " + std::to_string(most));
      }
      for (size_t number = first; number <= last; ++number) {
        if (!numbers.insert(number).second) refuse("found " + std::to_string(number) + " twice, expected each once");
      }
    }
    target.assign(numbers.begin(), numbers.end());
  };
  place(app_.add_option_function<std::string>(name, set, help)->type_name("FIRST-LAST,…"), name);
}

void OptionTable::numbers(const std::string& name, std::vector<double>& target, const std::string& help) {
  const auto set = [name, &target](const std::string& given) {
    target.clear();
    for (const std::string& word : parts(given)) {
      double number = 0;
      const auto [rest, status] = std::from_chars(word.data(), word.data() + word.size(), number);
      if (status != std::errc() || rest != word.data() + word.size() || !(number >= 0 && number < HUGE_VAL)) {
        throw ValueError(name, in_quotes(given) + ": expected numbers from 0, with commas between");
      }
      target.push_back(number);
    }
  };
  place(app_.add_option_function<std::string>(name, set, help)->type_name("X,…"), name);
}

void declare_model(OptionTable& table, Options& options) {
  declare_tokenizer(table, options);
  table.number("--threads", options.threads, "threads to use (default, or 0: the cores that the container allows)", 0,
               LoadOptions::kMaxThreads);
  table.choice<GemmProvider>("--gemm",
                             {{"auto", GemmProvider::kAuto},
                              {"native", GemmProvider::kNative},
                              {"portable", GemmProvider::kPortable},
                              {"openblas", GemmProvider::kOpenBlas}},
                             options.gemm,
                             "the matrix multiplication backend (default: auto, the fastest for this CPU)");
  table.choice<Precision>("--precision", {{"float32", Precision::kFloat32}, {"int8", Precision::kInt8}},
                          options.precision,
                          "of the linear layers: int8 quantises the weights when the model is loaded (default: as in "
                          "the model's files)");
  table.choice<Packing>(
      "--packing", {{"automatic", Packing::kAutomatic}, {"never", Packing::kNever}, {"always", Packing::kAlways}},
      options.packing,
      "keep the layers' weights in the order in which products read them, in memory of this process: the same numbers, "
      "short texts sooner (default: automatic, when passes of few tokens repeat and half of the free memory is "
      "enough)");
  table.flag("--ignore-unexpected", options.ignore_unexpected, "continue if the checkpoint has unknown tensors");
  table.flag("--check-tensors", options.check_tensors, "reject a checkpoint with a NaN or an infinity");
}

void declare_positions(OptionTable& table, Options& options) {
  table.choice<Positions>(
      "--positions",
      {{"learned", Positions::kLearned}, {"sinusoidal", Positions::kSinusoidal}, {"none", Positions::kNone}},
      options.positions.kind, "for experiments: these positions instead of the model's own; the results report it");
  table.choice<PositionsAt>("--positions-at",
                            {{"input", PositionsAt::kInput}, {"every-layer", PositionsAt::kEveryLayer}},
                            options.positions.at,
                            "for experiments: where position vectors are added, at the input only or again before "
                            "every layer (default: as in the model's files)");
}

void declare_tokenizer(OptionTable& table, Options& options) {
  table.begin_group("Model");
  table.text("--model", options.model, "DIR",
             "a directory in the Hugging Face layout, or a model's name in the hub's local cache "
             "(default: the built-in small English model)");
  table.text("--revision", options.revision, "NAME",
             "the revision of a model in the hub's local cache (default: main)");
  table.text(
      "--task", options.task, "NAME",
      "the kind of texts, such as query or document, of a model with a route or an adapter (LoRA) for each (default: "
      "the model's)");
  table.choice<StaticFile>("--static-file", {{"config", StaticFile::kConfig}, {"modules", StaticFile::kModules}},
                           options.static_file,
                           "the file that decides for a static model that has both: config.json, as model2vec, or "
                           "modules.json, as sentence-transformers (default: config)");
  table.text("--encoder", options.encoder, "DIR",
             "for a model whose directory names its encoder and lacks its configuration or tokenizer: a directory with "
             "them (default: by that name, in the hub's local cache)");
  table.flag("--cased", options.cased, "keep the text's case, if the model's files do not say");
  table.flag("--uncased", options.uncased, "lower-case the text, if the model's files do not say");
  table.exclude("--cased", "--uncased");
  table.flag("--verbose", options.verbose,
             "also print what the tokenizer's files say and the options decide, such as their own padding");
  table.flag("--quiet", options.quiet, "print neither notes nor the progress, but errors");
  table.exclude("--verbose", "--quiet");
}

void declare_input(OptionTable& table, Options& options, const std::string& lines) {
  table.begin_group("Input");
  table.texts("--input", options.inputs, "FILE",
              "read texts from a file, one per line, compressed by gzip or zstd or not; - is standard input; may be "
              "given several times");
  declare_records(table, options, "the input's", lines);
}

void declare_records(OptionTable& table, Options& options, const std::string& whose, const std::string& lines) {
  table.flag("--jsonl", options.jsonl,
             whose + " lines are objects " + lines + " (default: if its name ends with .jsonl)");
  table.flag("--csv", options.csv, whose + " first line names columns, commas between (default: .csv)");
  table.flag("--tsv", options.tsv, "the same, tabs between (default: .tsv)");
  for (const auto& [one, other] : {std::pair{"--jsonl", "--csv"}, {"--jsonl", "--tsv"}, {"--csv", "--tsv"}}) {
    table.exclude(one, other);
  }
  table.text("--field", options.field, "NAME", "the object's member, or the column, that is the text (default: text)");
  if (lines.find("pair") == std::string::npos) return;
  table.text("--pair-field", options.pair_field, "NAME", "the one that is the second text (default: pair)");
}

void declare_pair(OptionTable& table, Options& options) {
  table.texts("--pair", options.pairs, "TEXT", "the second segment of a TEXT; once for each TEXT");
}

void declare_lengths(OptionTable& table, Options& options, const std::string& by_default) {
  table.begin_group("Tokens");
  table.number("--max-length", options.max_length,
               "maximum tokens of a text, including special tokens (default: " + by_default + ")");
  table.flag("--split-special-tokens", options.split_special_tokens,
             "names of special tokens in a text, such as [SEP], are text");
}

void declare_truncation(OptionTable& table, Options& options) {
  table.begin_group("Tokens");
  table.choice<Truncation>("--truncation",
                           {{"longest_first", Truncation::kLongestFirst},
                            {"only_first", Truncation::kOnlyFirst},
                            {"only_second", Truncation::kOnlySecond},
                            {"error", Truncation::kError}},
                           options.truncation,
                           "which segment of a too long text is truncated (default: longest_first)");
}

void declare_stride(OptionTable& table, Options& options, const char* windows_become) {
  table.begin_group("Tokens");
  table.number("--stride", options.stride,
               std::string("divide a too long text into windows that share N tokens, ") + windows_become);
}

void declare_offsets(OptionTable& table, Options& options) {
  table.begin_group("Output");
  constexpr OffsetUnit kUnits[] = {OffsetUnit::kBytes, OffsetUnit::kCodePoints, OffsetUnit::kUtf16};
  table.choice("--offsets", kUnits, options.offset_unit,
               "the unit of all places in the text (default: bytes, and in JSON code points beside them)");
}

void declare_batches(OptionTable& table, Options& options, const std::string& default_tokens) {
  table.begin_group("Speed");
  table.number("--batch-tokens", options.batch_tokens,
               "maximum tokens of a batch (1: each text alone; default: " + default_tokens +
                   ", divided by the threads, at most by 4)",
               1);
}

void declare_output(OptionTable& table, Options& options, const std::vector<OutputFormat>& formats) {
  table.begin_group("Output");
  options.format = formats.front();
  options.formats = formats;
  std::vector<std::pair<std::string, OutputFormat>> words;
  for (const OutputFormat format : formats) words.emplace_back(name(format), format);
  table.choice<OutputFormat>(
      "--format", words, options.format,
      "of the output (default: what --output's name ends with, else " + words.front().first + ")");
  table.text("--output", options.output, "FILE",
             "write to a file, which appears when it is complete (default: standard output)");
}

}  // namespace bert::cli
