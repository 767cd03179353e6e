// The command search: prints the lines of a file that are most similar to a query, best first.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "bert/vectors.h"
#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/input/corpus.h"
#include "program/cli/input/file_endings.h"
#include "program/cli/input/npy_file.h"
#include "program/cli/options/pooling_options.h"
#include "program/cli/output/csv.h"
#include "program/cli/output/explained.h"
#include "program/cli/output/output.h"
#include "program/cli/output/results.h"

namespace bert::cli {
namespace {

template <class Number>
void append(std::string& bytes, Number value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Source of the layout: faiss/impl/index_write.cpp (version 1.9), write_index_header and the case IndexFlat.
// Rows without a vector are NaN there, which FAISS never finds. Throws OutputError.
void write_faiss_index(const VectorIndex& index, const std::string& path) {
  constexpr int64_t kUnused = int64_t{1} << 20;  // fields of older versions
  constexpr int32_t kInnerProduct = 0;
  Output file(path, Output::Access::kSeekable);
  std::string header = "IxFI";
  append(header, static_cast<int32_t>(index.size()));
  append(header, static_cast<int64_t>(index.rows()));
  append(header, kUnused);
  append(header, kUnused);
  append(header, uint8_t{1});  // is trained
  append(header, kInnerProduct);
  append(header, static_cast<uint64_t>(index.rows() * index.size()));  // number of floats
  file.write(header);
  for (size_t row = 0; row < index.rows(); ++row) {
    const std::span<const float> vector = index.row(row);
    file.write({reinterpret_cast<const char*>(vector.data()), vector.size_bytes()});
  }
  file.commit();
}

class Search : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_input(table, options, kLoneTextLines);
    table.begin_group("Input");
    table.text(
        "--queries", queries_, "FILE",
        "the queries, one per line, or the texts of .csv, .tsv or .jsonl, in place of QUERY; - is standard input");
    table.text("--query-vectors", query_vectors_, "FILE",
               "the queries' vectors in numpy's .npy, a row for each query, in place of QUERY");
    table.text(
        "--corpus-vectors", corpus_vectors_, "FILE",
        "the corpus's vectors in numpy's .npy, one for each line, as embed writes them, in place of embedding it");
    table.begin_group("Search");
    table.number("--top-k", top_, "results for each query (default: 10)", 1);
    table.cosine("--distinct", distinct_, "leave out a result whose cosine with a better one is at least this");
    table.output_file(
        "--index", index_,
        "keep the corpus's vectors in a file, and use them again while the model, the corpus and the options are "
        "the same");
    table.choice<ScanRows>(
        "--scan", {{"float32", ScanRows::kFloat32}, {"int8", ScanRows::kInt8}, {"binary", ScanRows::kBinary}},
        vectors_.scan, "what a search reads of each vector; the results are scored in float32 (default: float32)");
    table.number("--candidates", candidates_,
                 "with --scan binary, the number of lines with the fewest different signs, from which the results are "
                 "chosen (default: 10 times --top-k)",
                 1);
    table.output_file("--faiss", faiss_, "also write the corpus's vectors as a flat FAISS index");
    declare_model(table, options);
    declare_pooling(table, vectors_.embed);
    table.text("--query-prompt", query_prompt_, "NAME",
               "the prompt before each query (default: query, if the model has it; --prompt is the corpus's)");
    declare_lengths(table, options);
    declare_truncation(table, options);
    declare_output(
        table, options,
        {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl, OutputFormat::kCsv, OutputFormat::kNpz});
    declare_keep(table, options, {"results", "index", "file", "line", "score", "text", "explanation", "query", "rank"});
    declare_batches(table, options);
    declare_explain(table, explain_,
                    "for one QUERY, the parts whose sum each score is, or the score without each word");
  }

  int run(Console& console) override {
    check_usage();
    Options query_options = options;
    query_options.inputs.clear();
    if (!queries_.empty()) query_options.inputs = {queries_};
    query_options.jsonl = query_options.csv = query_options.tsv = query_options.names_files = false;
    query_options.delimiter = '\0';
    query_options.files_left_out = query_options.links_left_out = 0;
    settle_input(query_options, "--queries");
    query_options.field.clear();
    query_options.keep.clear();
    query_options.encoding = TextEncoding::kUtf8;
    query_options.invalid = InvalidBytes::kFail;
    const std::unique_ptr<Input> queries = query_vectors_.empty() ? open_input(query_options) : nullptr;
    Options corpus_options = options;
    corpus_options.texts.clear();
    corpus_options.skips_blank = true;
    Corpus corpus(corpus_options);
    Output output = open_report(options);
    const Model model = load_model(options, console);
    settle(model, console);

    const CorpusIndex corpus_index = corpus_vectors_.empty()
                                         ? open_corpus_index(index_, corpus_options, vectors_, model, corpus, console)
                                         : read_corpus_vectors(corpus_vectors_, vectors_, model, corpus, console);
    if (!faiss_.empty()) write_faiss_index(corpus_index.index, faiss_);
    std::optional<RunSummary> summary;
    if (queries != nullptr) summary.emplace(*queries, output, console);
    const Queries asked =
        queries != nullptr ? embed_queries(query_options, *queries, model, *summary) : read_queries(model, console);
    const std::vector<std::vector<SearchHit>> found = search(corpus_index.index, asked.vectors);
    const std::map<size_t, Item> lines = found_lines(found, corpus);
    std::vector<ExplainedResult> why;
    if (explain_.wanted && !found.empty())
      why = explain(model, query_options, asked.queries.front(), found.front(), lines);
    if (explain_.wanted) {
      draw_explanations(explain_.drawn, "“" + one_line(options.texts.front()) + "” — " + name_on_page(model), why);
    }
    if (options.format == OutputFormat::kNpz) {
      write_arrays(output, why);
    } else {
      write(asked.queries, found, lines, why, output);
    }
    if (summary) return std::max(corpus_index.status, summary->finish(output, model));
    model.check_files();
    output.commit();
    return std::max(corpus_index.status, asked.status);
  }

 private:
  struct Queries {
    std::vector<Sequence> queries;
    std::vector<float> vectors;  // [queries without an error, size]
    int status = kDone;          // for vectors from a file: kFailed if one has an error
  };

  void check_usage() const {
    if (options.inputs.empty()) throw UsageError("search needs --input FILE, or a directory, with the lines to search");
    const bool has_texts = !options.texts.empty() || !queries_.empty();
    if (!has_texts && query_vectors_.empty()) throw UsageError("no QUERY to search for, and no --queries FILE");
    if (has_texts && !query_vectors_.empty())
      throw UsageError("--query-vectors takes the place of QUERY and --queries");
    if (query_prompt_ && !query_vectors_.empty())
      throw UsageError("--query-prompt is for texts; --query-vectors has none");
    const bool reads_standard_input = std::ranges::count(options.inputs, "-") > 0;
    if (reads_standard_input && queries_ == "-") throw UsageError("--input and --queries are both standard input");
    check_explain(options, explain_);
    if (explain_.wanted && (options.texts.size() != 1 || !queries_.empty())) {
      throw UsageError("--explain is for one QUERY");
    }
    if (!corpus_vectors_.empty() && !index_.empty()) {
      throw UsageError("--index keeps vectors that search makes; --corpus-vectors are kept already");
    }
    if (explain_.wanted && options.format == OutputFormat::kCsv) {
      throw UsageError("--explain has no csv; json has all terms");
    }
    if (candidates_ && vectors_.scan != ScanRows::kBinary) throw UsageError("--candidates needs --scan binary");
  }

  void settle(const Model& model, Console& console) {
    const SimilarityFunction function = model.similarity();
    if (function != SimilarityFunction::kCosine && function != SimilarityFunction::kDot) {
      throw Error(ErrorCode::kUnsupported, "search: the model's files name the similarity " +
                                               std::string(name(function)) + ", expected cosine or dot");
    }
    vectors_.normalize = function == SimilarityFunction::kCosine;
    query_.dense = vectors_.embed;
    query_.dense->prompt.reset();
    query_.prompt = query_prompt_;
    settle_pooling(model, vectors_.embed, console);
  }

  Queries embed_queries(const Options& query_options, Input& input, const Model& model, RunSummary& summary) const {
    Queries asked;
    Sequences sequences(input, model, query_, embed_token_rules(query_options, model, !model.prompt(query_).empty()));
    for (Sequence sequence; sequences.next(sequence);) {
      std::vector<float> vector = sequence.vectors().dense;
      if (vectors_.normalize) scale_to_unit_length(vector);
      asked.vectors.insert(asked.vectors.end(), vector.begin(), vector.end());
      summary.count(sequence);
      asked.queries.push_back(std::move(sequence));
    }
    return asked;
  }

  // Reads the rows of --query-vectors; a row that is not finite has an error.
  Queries read_queries(const Model& model, Console& console) const {
    VectorTable table = read_npy(query_vectors_);
    const size_t size = model.embedding_size(vectors_.embed);
    check_vector_size(query_vectors_, table.size, size, "of a text");
    Queries asked;
    for (size_t i = 0; i < table.rows; ++i) {
      const std::span<float> row = std::span(table.numbers).subspan(i * size, size);
      Sequence& query = asked.queries.emplace_back();
      query.input.text = "vector " + std::to_string(i + 1);
      if (std::all_of(row.begin(), row.end(), [](float value) { return std::isfinite(value); })) {
        if (vectors_.normalize) scale_to_unit_length(row);
        asked.vectors.insert(asked.vectors.end(), row.begin(), row.end());
      } else {
        query.error.emplace(ErrorCode::kInvalidArgument, query.input.text + " has a NaN or an infinity");
        console.error(in_quotes(query_vectors_) + ": " + query.error->what());
        asked.status = kFailed;
      }
    }
    return asked;
  }

  std::vector<std::vector<SearchHit>> search(const VectorIndex& index, const std::vector<float>& queries) const {
    const size_t top = top_.value_or(10);
    SearchOptions search{.top = top, .candidates = candidates_.value_or(0)};
    std::vector<std::vector<SearchHit>> found = index.search(queries, search);
    if (distinct_ == 0) return found;
    // Fetches more results until each query has enough distinct ones, or all results.
    while (true) {
      bool has_all = true;
      std::vector<std::vector<SearchHit>> distinct;
      for (const std::vector<SearchHit>& hits : found) {
        distinct.push_back(distinct_hits(index, hits, top));
        has_all = has_all && (distinct.back().size() == top || hits.size() < search.top);
      }
      if (has_all) return distinct;
      search.top *= 4;
      found = index.search(queries, search);
    }
  }

  // Returns at most `top` hits, without hits that are near a better hit.
  std::vector<SearchHit> distinct_hits(const VectorIndex& index, const std::vector<SearchHit>& hits, size_t top) const {
    std::vector<SearchHit> kept;
    for (const SearchHit& hit : hits) {
      const bool is_near = std::any_of(kept.begin(), kept.end(), [&](const SearchHit& better) {
        return similarity(SimilarityFunction::kCosine, index.row(hit.row), index.row(better.row)) >= distinct_;
      });
      if (!is_near) kept.push_back(hit);
      if (kept.size() == top) break;
    }
    return kept;
  }

  static std::map<size_t, Item> found_lines(const std::vector<std::vector<SearchHit>>& found, const Corpus& corpus) {
    std::set<size_t> numbers;
    for (const std::vector<SearchHit>& hits : found) {
      for (const SearchHit& hit : hits) numbers.insert(hit.row);
    }
    return corpus.lines(numbers);
  }

  // Explains each result of the query.
  std::vector<ExplainedResult> explain(const Model& model, const Options& query_options, const Sequence& query,
                                       const std::vector<SearchHit>& hits, const std::map<size_t, Item>& lines) const {
    const auto sequence_of = [&](const VectorRequest& request, const std::string& text) {
      TextOptions how;
      how.tokenize = embed_token_rules(query_options, model, !model.prompt(request).empty()).tokenize;
      how.tokenize->only_ids = false;
      return TextTaskRunner(model, request, how).cut({.text = text}).front();
    };
    const VectorRequest of_corpus{.dense = vectors_.embed};
    const TextResult asked = sequence_of(query_, options.texts.front());
    std::vector<ExplainedResult> why;
    if (query.error) return why;
    for (const SearchHit& hit : hits) {
      const std::string& line = lines.at(hit.row).text;
      why.push_back({std::to_string(hit.row + 1) + ": " + one_line(line),
                     Explanation(explain_score(model, of_corpus, asked, sequence_of(of_corpus, line)))});
    }
    return why;
  }

  void write(const std::vector<Sequence>& asked, const std::vector<std::vector<SearchHit>>& found,
             const std::map<size_t, Item>& lines, const std::vector<ExplainedResult>& why, Output& output) const {
    if (options.format == OutputFormat::kCsv) return write_csv(asked, found, lines, output);
    JsonResults json(output, options.format);
    auto hits = found.begin();
    for (size_t i = 0; i < asked.size(); ++i) {
      const bool failed = asked[i].error.has_value();
      static const std::vector<SearchHit> none;
      const std::vector<SearchHit>& own = failed ? none : *hits++;
      if (options.format != OutputFormat::kText) {
        json.add(failed ? error_object(asked[i]) : object(asked[i], own, lines, why));
        continue;
      }
      if (asked.size() > 1) output.write((i > 0 ? "\n" : "") + one_line(asked[i].input.text) + "\n");
      if (!failed) output.write(table(own, lines));
    }
    json.finish();
    if (options.format == OutputFormat::kText) write_texts(output, why);
  }

  // Writes a row for each result; "query": the query's number, from 0.
  void write_csv(const std::vector<Sequence>& asked, const std::vector<std::vector<SearchHit>>& found,
                 const std::map<size_t, Item>& lines, Output& output) const {
    std::vector<std::string> columns = {"query", "rank", "index"};
    if (options.names_files) columns.insert(columns.end(), {"file", "line"});
    columns.emplace_back("id");
    columns.insert(columns.end(), options.keep.begin(), options.keep.end());
    columns.insert(columns.end(), {"score", "text"});
    CsvTable table(output, columns);
    auto hits = found.begin();
    for (size_t query = 0; query < asked.size(); ++query) {
      if (asked[query].error) continue;
      for (size_t rank = 0; rank < hits->size(); ++rank) {
        const SearchHit& hit = (*hits)[rank];
        const Item& line = lines.at(hit.row);
        std::vector<std::string> cells = {std::to_string(query), std::to_string(rank + 1), std::to_string(hit.row)};
        if (options.names_files) cells.insert(cells.end(), {line.source.file, std::to_string(line.source.line)});
        for (const std::string& cell : source_cells(line.source, options.keep)) cells.push_back(cell);
        cells.insert(cells.end(), {number_cell(hit.score), line.text});
        table.add(cells);
      }
      ++hits;
    }
  }

  // why: empty, or the explanation of each hit.
  std::string object(const Sequence& query, const std::vector<SearchHit>& hits, const std::map<size_t, Item>& lines,
                     const std::vector<ExplainedResult>& why) const {
    JsonWriter object = begin_result(query);
    append_list(object.member("results"), hits, [&](std::string& text, const SearchHit& hit) {
      const Item& line = lines.at(hit.row);
      JsonWriter result = begin_result(line.source);
      result.number("index", static_cast<uint64_t>(hit.row));
      if (options.names_files) {
        result.string("file", line.source.file);
        result.number("line", line.source.line);
      }
      result.number("score", hit.score);
      result.string("text", line.text);
      if (!why.empty()) {
        result.member("explanation") += why[static_cast<size_t>(&hit - hits.data())].explanation.json();
      }
      text += result.take();
    });
    if (query_vectors_.empty()) add_token_counts(object, query);
    return object.take();
  }

  std::string table(const std::vector<SearchHit>& hits, const std::map<size_t, Item>& lines) const {
    std::vector<Column> columns = {{"score", Align::kRight}};
    if (options.names_files) columns.push_back({"file"});
    columns.insert(columns.end(), {{"line", Align::kRight}, {"text"}});
    Table table(columns);
    for (const SearchHit& hit : hits) {
      const Item& line = lines.at(hit.row);
      std::vector<std::string> cells = {fixed(hit.score, 6)};
      if (options.names_files) cells.push_back(one_line(line.source.file));
      cells.push_back(std::to_string(options.names_files ? line.source.line : hit.row + 1));
      cells.push_back(one_line(line.text));
      table.add(cells);
    }
    return table.text({});
  }

  std::string corpus_vectors_, queries_, query_vectors_, index_, faiss_;
  double distinct_ = 0;  // 0: print all results
  CorpusVectors vectors_;
  ExplainOptions explain_;
  VectorRequest query_{.role = TextRole::kQuery};
  std::optional<std::string> query_prompt_;
  std::optional<size_t> top_, candidates_;
};

}  // namespace

std::unique_ptr<Command> make_search() { return std::make_unique<Search>(); }

}  // namespace bert::cli
