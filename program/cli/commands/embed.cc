// The command embed: prints one vector per text, dense or sparse, or one per token, or several kinds at once.
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bert/token_vectors.h"
#include "program/cli/command.h"
#include "program/cli/commands/vector_ranges.h"
#include "program/cli/options/pooling_options.h"
#include "program/cli/output/embed_writer.h"
#include "program/cli/run/long_run.h"
#include "program/cli/run/merge.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {
namespace {

class Embed : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_input(table, options);
    declare_pair(table, options);
    declare_model(table, options);
    declare_pooling(table, embed_);
    declare_kinds(table, kind_, "dense");
    declare_role(table, kind_);
    declare_lengths(table, options);
    declare_truncation(table, options);
    declare_long_text(table, options, {.windows_become = "one result for each window"});
    table.text(
        "--chunk", chunk_, "SIZE",
        "a vector for each chunk of a text, by one pass over the whole text (late chunking): a number, of at most "
        "so many tokens; sentence, its sentences; sentence,SIZE, as many whole ones as fit; spans, those that "
        "lines of JSON give, in bytes");
    declare_offsets(table, options);
    declare_output(table, options,
                   {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl, OutputFormat::kCsv,
                    OutputFormat::kNpy, OutputFormat::kNpz, OutputFormat::kSafetensors});
    declare_keep(table, options, {"embedding", "sparse", "tokens", "chunks", "offset_unit"});
    table.choice("--output-type", kNumberTypes, format_.type,
                 "what npy and safetensors hold of a vector: its numbers, 8-bit ones by --ranges, or its signs, eight "
                 "in a byte (default: float32)");
    table.text("--ranges", ranges_, "FILE", "each dimension's range for int8 and uint8, which --save-ranges wrote");
    table.output_file("--save-ranges", save_ranges_,
                      "also write each dimension's range in these vectors, for --ranges of another run");
    declare_batches(table, options);
    declare_long_run(table, long_run_);
  }

  int run(Console& console) override {
    if (!chunk_.empty()) read_chunk();
    if (long_run_.merge) return merge_shards(options, console);
    format_.file_format = options.format;
    check_options();
    if (format_.type != NumberType::kFloat32 && !format_.is_matrix()) {
      throw UsageError("--output-type " + std::string(name(format_.type)) +
                       " is for --format npy and safetensors; found " + in_quotes(name(format_.file_format)));
    }
    check_range_options();
    // Shards on one machine share the pages of the model's files, so weights are not packed.
    if (!long_run_.shard.empty() && options.packing == Packing::kAutomatic) options.packing = Packing::kNever;
    long_run_.is_refused = chunks_.has_value() || !save_ranges_.empty();
    LongRun long_run(options, long_run_, format_);
    if (long_run.is_complete()) return finish_earlier_run(long_run, console);
    const std::unique_ptr<Input> input = long_run.open_input();
    Output output = long_run.open_output();
    if (long_run.goes_on()) {
      console.note("goes on after line " + with_commas(long_run.start().lines) + " of " +
                   in_quotes(options.inputs.front()));
    }
    const Model model = load_model(options, console);
    SparseSettings sparse;
    if (kind_.has(VectorKind::kSparse)) sparse = settle_sparse(model, sparse_options(embed_, kind_), console);
    if (kind_.is_dense() || kind_.has(VectorKind::kDense)) settle_pooling(model, embed_, console);
    format_.dimensions = dimensions(model);
    if (!ranges_.empty()) format_.ranges = read_ranges(ranges_, format_.dimensions);

    RunSummary summary(*input, output, console, long_run.start().counts, long_run.bytes_before());
    const std::unique_ptr<EmbedWriter> writer = make_writer(output, model, sparse, long_run.start().counts.results);
    TokenRules rules = embed_token_rules(options, model, embed_.prompt.has_value());
    if (kind_.has(VectorKind::kTokens)) rules.no_pair = kNeedsNoPair;
    Sequences sequences(*input, model, request(), rules);
    VectorRanges found;
    size_t outside = 0, vectors = 0;
    for (Sequence sequence; sequences.next(sequence);) {
      check_range(sequence, format_.type);
      if (!sequence.error) {
        ++vectors;
        if (!ranges_.empty()) outside += count_outside(format_.ranges, sequence.vectors().dense);
        if (!save_ranges_.empty()) include_in_ranges(found, sequence.vectors().dense, format_.dimensions);
      }
      writer->add(sequence);
      summary.count(sequence);
      long_run.written(sequence, *writer, output, &model, summary.counts());
      if (!sequences.ready()) output.flush();
    }
    writer->finish();
    long_run.complete(output, &model, summary.counts());
    const int status = summary.finish(output, model);
    long_run.finish(summary.counts(), format_.dimensions);
    if (outside > 0) {
      console.note(with_commas(outside) + " of " + with_commas(vectors * format_.dimensions) +
                   " numbers were outside their ranges and became the nearest end (--ranges)");
    }
    if (!save_ranges_.empty()) save_ranges(found, vectors, console);
    return status;
  }

 private:
  TextRole role() const { return kind_.role.value_or(TextRole::kDocument); }

  VectorRequest request() const {
    VectorRequest request = vector_request(embed_, kind_);
    request.chunks = chunks_;
    if (kind_.is_only(VectorKind::kTokens)) request.role = role();
    return request;
  }

  std::unique_ptr<EmbedWriter> make_writer(Output& output, const Model& model, const SparseSettings& sparse,
                                           size_t results) const {
    if (chunks_) return make_json_writer(output, format_.file_format, {add_chunks});
    if (kind_.is_dense()) return make_embed_writer(output, format_, options, results);
    if (kind_.is_only(VectorKind::kSparse)) return make_sparse_writer(output, format_.file_format, model, sparse);
    if (kind_.is_only(VectorKind::kTokens)) return make_token_writer(output, format_.file_format, model, role());
    std::vector<AddVectors> kinds;
    for (const VectorKind kind : kind_.kinds) {
      kinds.push_back(kind == VectorKind::kDense    ? add_dense
                      : kind == VectorKind::kSparse ? add_sparse(model)
                                                    : add_tokens(model));
    }
    return make_json_writer(output, format_.file_format, std::move(kinds));
  }

  void check_options() {
    check_kind(kind_, embed_);
    if (chunks_) check_chunks();
    if (options.offset_unit && !chunks_) throw UsageError("--offsets is of the places of chunks: it needs --chunk");
    if (kind_.is_dense()) {
      if (format_.file_format != OutputFormat::kNpz) return;
      throw UsageError("--format npz is for --kind sparse and tokens; dense vectors have npy and safetensors");
    }
    const bool has_text = kind_.is_only(VectorKind::kSparse);
    OutputFormat& format = format_.file_format;
    if (!has_text && format == OutputFormat::kText && options.given.count("--format") == 0) {
      format = OutputFormat::kJsonl;
    }
    const bool is_unwritten_text = !has_text && format == OutputFormat::kText;
    const bool is_dense_only = format_.is_matrix() || format == OutputFormat::kCsv;
    if (is_dense_only || is_unwritten_text || (has_several() && format == OutputFormat::kNpz)) {
      throw UsageError("--format " + std::string(name(format)) + " is not for " +
                       (has_several() ? "several kinds, which have json and jsonl"
                        : has_text    ? "--kind sparse, which has text, json, jsonl and npz"
                                      : "--kind tokens, which has json, jsonl and npz"));
    }
    if (kind_.has(VectorKind::kTokens) && options.has_windows()) {
      throw UsageError("windows are for dense and sparse vectors, not for --kind tokens");
    }
  }

  // Reads --chunk: a number of tokens, sentence, sentence and a number, or spans.
  void read_chunk() {
    const size_t comma = chunk_.find(',');
    const std::string first = chunk_.substr(0, comma);
    const std::string size = first == "sentence" && comma != chunk_.npos ? chunk_.substr(comma + 1) : first;
    ChunkOptions chunks{.sentences = first == "sentence"};
    if (size != "sentence" && size != "spans") {
      const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), chunks.tokens);
      const bool is_number = error == std::errc() && end == size.data() + size.size() && chunks.tokens > 0;
      if (!is_number || (comma != chunk_.npos && !chunks.sentences)) {
        throw UsageError("--chunk: found " + in_quotes(chunk_) +
                         ", expected a number of tokens, 'sentence', 'sentence,NUMBER' or 'spans'");
      }
    }
    if (long_run_.resume || long_run_.merge || !long_run_.shard.empty()) {
      throw UsageError("--chunk is not for --resume, --shard and --merge");
    }
    options.spans = chunk_ == "spans";
    chunks_ = chunks;
  }

  void check_chunks() {
    if (!kind_.is_dense()) throw UsageError("--chunk is for dense vectors alone");
    if (options.has_windows()) throw UsageError("--chunk divides a text after one pass, --stride before; give one");
    if (options.spans && !options.jsonl)
      throw UsageError("--chunk spans is for lines of JSON (--jsonl), which have them");
    if (!save_ranges_.empty()) throw UsageError("--save-ranges is for a vector of each text, not for --chunk");
    OutputFormat& format = format_.file_format;
    if (format == OutputFormat::kText && options.given.count("--format") == 0) format = OutputFormat::kJsonl;
    if (format == OutputFormat::kJson || format == OutputFormat::kJsonl) return;
    throw UsageError("--format " + std::string(name(format)) + " is not for --chunk, which has json and jsonl");
  }

  void check_range_options() const {
    if (needs_ranges(format_.type) && ranges_.empty()) {
      throw UsageError("--output-type " + std::string(name(format_.type)) +
                       " needs --ranges FILE, which embed --save-ranges FILE makes of some texts");
    }
    if (!ranges_.empty() && !needs_ranges(format_.type)) {
      throw UsageError("--ranges is for --output-type int8 and uint8; found " + std::string(name(format_.type)));
    }
    if (save_ranges_.empty()) return;
    if (!kind_.is_dense()) throw UsageError("--save-ranges is for dense vectors alone");
    if (long_run_.resume || !long_run_.shard.empty()) {
      throw UsageError("--save-ranges is not for --resume and --shard, which see a part of the texts");
    }
  }

  void save_ranges(const VectorRanges& ranges, size_t vectors, Console& console) const {
    if (vectors == 0) throw InputError("no vectors, expected some for --save-ranges");
    write_ranges(save_ranges_, ranges, vectors);
    if (vectors >= kFewVectors) return;
    console.note("the ranges are those of " + std::to_string(vectors) + (vectors == 1 ? " vector" : " vectors") +
                 " only: later ones will often be outside them");
  }

  bool has_several() const { return kind_.kinds.size() > 1; }

  // Returns the dimensions of the first kind's vectors.
  size_t dimensions(const Model& model) const {
    const VectorKind kind = kind_.kinds.empty() ? VectorKind::kDense : kind_.kinds.front();
    return kind == VectorKind::kTokens   ? token_vector_settings(model).size
           : kind == VectorKind::kSparse ? model.config().vocab_size
                                         : model.embedding_size(embed_);
  }

  // Finishes a run that was killed after it had renamed its output.
  int finish_earlier_run(LongRun& long_run, Console& console) {
    const RunCounts& counts = long_run.start().counts;
    long_run.finish(counts, dimensions(load_model(options, console)));
    console.note("the output was complete");
    return counts.failed > 0 ? kFailed : kDone;
  }

  static constexpr size_t kFewVectors = 100;

  LongRunOptions long_run_;
  EmbedFormat format_;
  std::string ranges_, save_ranges_;
  EmbedOptions embed_;
  KindOptions kind_;
  std::string chunk_;
  std::optional<ChunkOptions> chunks_;  // parsed from chunk_
};

}  // namespace

std::unique_ptr<Command> make_embed() { return std::make_unique<Embed>(); }

}  // namespace bert::cli
