// The options that many commands declare: the model, the input, tokens, batches, the output.
#include "program/cli/options/options.h"

namespace bert::cli {
namespace {

// While this object lives, declared options are shared by many commands.
class SharedOptions {
 public:
  explicit SharedOptions(OptionTable& table) : table_(table), before_(table.set_shared(true)) {}
  ~SharedOptions() { table_.set_shared(before_); }
  SharedOptions(const SharedOptions&) = delete;
  SharedOptions& operator=(const SharedOptions&) = delete;

 private:
  OptionTable& table_;
  const bool before_;
};

}  // namespace

void declare_model(OptionTable& table, Options& options) {
  const SharedOptions shared(table);
  declare_tokenizer(table, options);
  table.text(
      "--adapter", options.adapter, "DIR",
      "an adapter (LoRA) of the model, as peft writes it: a directory, or a name in the hub's local cache; it is "
      "merged into the weights in memory (default: none)");
  declare_threads(table, options);
  table.choice<GemmProvider>("--gemm",
                             {{"auto", GemmProvider::kAuto},
                              {"native", GemmProvider::kNative},
                              {"portable", GemmProvider::kPortable},
                              {"openblas", GemmProvider::kOpenBlas}},
                             options.gemm,
                             "the matrix multiplication backend (default: auto, the fastest for this CPU)");
  table.choice<Precision>(
      "--precision", {{"float32", Precision::kFloat32}, {"bfloat16", Precision::kBFloat16}, {"int8", Precision::kInt8}},
      options.precision,
      "the precision of the linear layers: bfloat16 rounds what they multiply to 16 bits, int8 quantises the weights "
      "when the model is loaded (default: as in the model's files)");
  table.choice<Packing>(
      "--packing", {{"automatic", Packing::kAutomatic}, {"never", Packing::kNever}, {"always", Packing::kAlways}},
      options.packing,
      "keep the layers' weights in the order in which products read them, in memory of this process: the same numbers, "
      "short texts sooner, with 8-bit weights long ones too (default: automatic, when such passes repeat and half of "
      "the free memory is enough)");
  declare_unexpected(table, options);
  table.flag("--check-tensors", options.check_tensors, "reject a checkpoint with a NaN or an infinity");
}

void declare_threads(OptionTable& table, Options& options) {
  table.number("--threads", options.threads,
               "the number of threads (default, or 0: the cores that the container allows)", 0,
               LoadOptions::kMaxThreads);
}

void declare_unexpected(OptionTable& table, Options& options) {
  table.flag("--ignore-unexpected", options.ignore_unexpected, "continue if the checkpoint has unknown tensors");
}

void declare_positions(OptionTable& table, Options& options) {
  const SharedOptions shared(table);
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
  const SharedOptions shared(table);
  table.begin_group("Model");
  table.text("--model", options.model, "DIR",
             "a directory in the Hugging Face layout, or a model's name in the hub's local cache "
             "(default: the built-in small English model)");
  table.text("--revision", options.revision, "NAME",
             "the revision of a model in the hub's local cache (default: main)");
  table.text("--task", options.task, "NAME",
             "the kind of texts, such as query or document, of a model with a route or an adapter (LoRA) for each; the "
             "language, of X-MOD (default: the model's)");
  table.choice<StaticFile>("--static-file", {{"config", StaticFile::kConfig}, {"modules", StaticFile::kModules}},
                           options.static_file,
                           "the file that decides for a static model that has both: config.json, as model2vec, or "
                           "modules.json, as sentence-transformers (default: config)");
  table.text("--encoder", options.encoder, "DIR",
             "for a GLiNER model whose directory lacks its encoder's configuration or tokenizer: a directory with them "
             "(default: by the encoder's name, in the hub's local cache)");
  table.flag("--cased", options.cased, "keep the text's case, if the model's files do not say");
  table.flag("--uncased", options.uncased, "lower-case the text, if the model's files do not say");
  table.exclude("--cased", "--uncased");
  table.flag("--verbose", options.verbose,
             "also print what the tokenizer's files say and the options decide, such as their own padding");
  table.flag("--quiet", options.quiet, "print neither notes nor the progress, but errors");
  table.exclude("--verbose", "--quiet");
}

void declare_input(OptionTable& table, Options& options, const std::string& lines) {
  const SharedOptions shared(table);
  table.begin_group("Input");
  table.texts("--input", options.inputs, "FILE",
              "read texts from a file, one per line, compressed by gzip or zstd or not, or from the text files of a "
              "directory; - is standard input; may be given several times");
  declare_records(table, options, lines);
}

void declare_records(OptionTable& table, Options& options, const std::string& lines) {
  const SharedOptions shared(table);
  table.flag("--jsonl", options.jsonl,
             "the input's lines are objects " + lines + " (default: if its name ends with .jsonl)");
  table.flag("--csv", options.csv,
             "the input's first line names columns, with --delimiter between (default: if its name ends with .csv)");
  table.flag("--tsv", options.tsv, "the same with tabs between (default: if its name ends with .tsv)");
  for (const auto& [one, other] : {std::pair{"--jsonl", "--csv"}, {"--jsonl", "--tsv"}, {"--csv", "--tsv"}}) {
    table.exclude(one, other);
  }
  const auto set_delimiter = [&options](const std::string& given) {
    const bool is_tab = given == "tab" || given == "\\t";
    if (!is_tab && (given.size() != 1 || given == "\"" || given == "\n" || given == "\r")) {
      throw ValueError("--delimiter", in_quotes(given) + ": expected one character of ASCII but a quote, or tab");
    }
    options.delimiter = is_tab ? '\t' : given.front();
  };
  table.value("--delimiter", "CHARACTER", set_delimiter,
              "the character between columns of csv (default: the one of , ; tab and | that the first line has beside "
              "the text's name)");
  table.choice<TextEncoding>("--encoding",
                             {{"utf-8", TextEncoding::kUtf8},
                              {"latin-1", TextEncoding::kLatin1},
                              {"windows-1252", TextEncoding::kWindows1252}},
                             options.encoding, "the encoding of the input; iconv converts others (default: utf-8)");
  table.choice<InvalidBytes>(
      "--invalid", {{"fail", InvalidBytes::kFail}, {"replace", InvalidBytes::kReplace}, {"skip", InvalidBytes::kSkip}},
      options.invalid,
      "what is done with bytes that are no character of the encoding: fail makes their text an error, replace writes "
      "U+FFFD, skip leaves them out (default: fail)");
  table.text("--field", options.field, "NAME", "the object's member, or the column, that is the text (default: text)");
  if (lines.find("pair") == std::string::npos) return;
  table.text("--pair-field", options.pair_field, "NAME",
             "the object's member, or the column, that is the second text (default: pair)");
}

void declare_keep(OptionTable& table, Options& options, const std::vector<std::string>& own) {
  table.begin_group("Output");
  table.names("--keep", options.keep, "A,B,…",
              "columns of the input, or members of its objects, that are copied to each result, in csv and JSON");
  options.result_members = {"id", "window", "positions", "line", "file", "error", "truncated_tokens", "unknown_tokens"};
  options.result_members.insert(options.result_members.end(), own.begin(), own.end());
}

void declare_pair(OptionTable& table, Options& options) {
  table.texts("--pair", options.pairs, "TEXT", "the second segment of a TEXT; once for each TEXT");
}

void declare_lengths(OptionTable& table, Options& options, const std::string& by_default) {
  const SharedOptions shared(table);
  table.begin_group("Tokens");
  table.number("--max-length", options.max_length,
               "the largest number of tokens in a text, including special tokens (default: " + by_default + ")");
  table.flag("--split-special-tokens", options.split_special_tokens,
             "names of special tokens in a text, such as [SEP], are text");
}

void declare_truncation(OptionTable& table, Options& options) {
  const SharedOptions shared(table);
  table.begin_group("Tokens");
  table.choice<Truncation>("--truncation",
                           {{"longest_first", Truncation::kLongestFirst},
                            {"only_first", Truncation::kOnlyFirst},
                            {"only_second", Truncation::kOnlySecond},
                            {"error", Truncation::kError}},
                           options.truncation,
                           "which segment of a too long text is truncated (default: longest_first)");
}

void declare_long_text(OptionTable& table, Options& options, const LongTextChoice& choice) {
  const SharedOptions shared(table);
  table.begin_group("Tokens");
  options.long_text_by_default = choice.by_default;
  std::vector<std::pair<std::string, LongText>> words;
  std::string help = std::string("what is done with a text that is too long (default: ") +
                     (choice.by_default == LongText::kWindows ? "windows" : "cut") + "): ";
  if (choice.windows_become != nullptr) {
    words.emplace_back("windows", LongText::kWindows);
    help += std::string("windows reads all of it in windows, ") + choice.windows_become + "; ";
  }
  if (choice.may_cut) {
    words.emplace_back("cut", LongText::kCut);
    help += "cut reads its beginning and counts the rest; ";
  }
  words.emplace_back("error", LongText::kError);
  table.choice<LongText>("--long-text", words, options.long_text, help + "error refuses it");
  if (choice.windows_become == nullptr) return;
  table.number("--stride", options.stride,
               std::string("read windows, which share N tokens (default: ") + choice.stride + ")");
}

LongText Options::chosen_long_text() const {
  if (stride && long_text && *long_text != LongText::kWindows) throw UsageError("--stride is for --long-text windows");
  if (long_text) return *long_text;
  if (stride) return LongText::kWindows;
  if (truncation) return *truncation == Truncation::kError ? LongText::kError : LongText::kCut;
  return long_text_by_default;
}

void declare_offsets(OptionTable& table, Options& options) {
  const SharedOptions shared(table);
  table.begin_group("Output");
  constexpr OffsetUnit kUnits[] = {OffsetUnit::kBytes, OffsetUnit::kCodePoints, OffsetUnit::kUtf16};
  table.choice("--offsets", kUnits, options.offset_unit,
               "the unit of all places in the text (default: bytes, and in JSON code points beside them)");
}

void declare_batches(OptionTable& table, Options& options, const std::string& default_tokens) {
  const SharedOptions shared(table);
  table.begin_group("Speed");
  table.number("--batch-tokens", options.batch_tokens,
               "the largest number of tokens in a batch (1: each text alone; default: " + default_tokens +
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
      "the form of the output (default: what --output's name ends with, else " + words.front().first + ")");
  const SharedOptions shared(table);
  table.output_file("--output", options.output,
                    "write to a file, which appears when it is complete (default: standard output)");
}

}  // namespace bert::cli
