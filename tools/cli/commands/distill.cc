// The command distill: writes a static model, in model2vec's form, whose table has for each token of the vocabulary
// what an encoder makes of that token alone.
// Source of the method: Tulkens and van Dongen, Model2Vec (2024); the weights: Arora et al., A Simple but Tough-to-Beat
// Baseline for Sentence Embeddings (2017).
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/principal_components.h"
#include "bert/quantize.h"
#include "bert/text_pipeline.h"
#include "tools/cli/command.h"
#include "tools/cli/common.h"
#include "tools/cli/output/progress.h"
#include "tools/cli/output/vector_file.h"
#include "tools/cli/run/run_summary.h"

namespace bert::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kDimensions = 256;

// "[unused12]"
bool is_unused(std::string_view token) {
  constexpr std::string_view kBegin = "[unused";
  return token.starts_with(kBegin) && token.ends_with("]") && token.size() > kBegin.size() + 1 &&
         std::all_of(token.begin() + kBegin.size(), token.end() - 1,
                     [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

// Every token that texts can have, alone between the model's special tokens.
class Tokens : public TextSource {
 public:
  explicit Tokens(const Model& model) : tokenizer_(model.tokenizer()), special_(tokenizer_.with_special_tokens({})) {
    for (size_t id = 0; id < model.config().vocab_size; ++id) {
      const std::string_view token = tokenizer_.token(static_cast<int32_t>(id));
      if (!token.empty() && !is_unused(token) && !is_special(static_cast<int32_t>(id))) {
        ids_.push_back(static_cast<int32_t>(id));
      }
    }
  }

  // Tokens of the template and the mask, which texts do not have.
  bool is_special(int32_t id) const {
    return std::find(special_.begin(), special_.end(), id) != special_.end() || tokenizer_.mask_id() == id;
  }

  State next(TextItem& item, Wait) override {
    if (next_ == ids_.size()) return State::kEnd;
    item = {.ids = tokenizer_.with_special_tokens({&ids_[next_++], 1})};
    return State::kItem;
  }

  const std::vector<int32_t>& ids() const { return ids_; }

 private:
  const Tokenizer& tokenizer_;
  std::vector<int32_t> special_;  // around a text
  std::vector<int32_t> ids_;
  size_t next_ = 0;
};

class Distill : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_tokenizer(table, options);
    table.number("--threads", options.threads, "threads to use (default, or 0: the cores that the container allows)", 0,
                 LoadOptions::kMaxThreads);
    table.number("--dimensions", dimensions_,
                 "numbers of a vector, the principal components (default: " + std::to_string(kDimensions) + ")", 1);
    table.fraction("--sif-coefficient", sif_,
                   "a token's vector is multiplied by X / (X + its probability): a smaller X lowers frequent tokens "
                   "more (default: 1e-4)");
    declare_output(table, options, {OutputFormat::kText, OutputFormat::kJson});
  }

  int run(Console& console) override {
    take_model_and_directory(options, "distill", "a model (or --model) and the name of the directory to write");
    const fs::path directory = options.texts.front(), partial = directory.string() + ".partial";
    for (const fs::path& path : {directory, partial}) {
      if (fs::exists(path))
        throw InputError(in_quotes(path.string()) + " exists, expected the name of a new directory");
    }
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    if (model.config().num_hidden_layers == 0) {
      throw InputError(in_quotes(options.model) + " is a static model, expected one with an encoder");
    }
    make_table(model, console);
    const fs::path source = find_model(options.model, options.revision.value_or("main"));
    if (!fs::exists(source / "tokenizer.json")) {
      console.note("model2vec does not read the result: " + in_quotes(options.model) + " has no tokenizer.json");
    }
    model.check_files();
    std::error_code none;
    try {
      write(source, partial);
      publish_directory(partial, directory);
    } catch (const fs::filesystem_error& error) {
      fs::remove_all(partial, none);
      throw OutputError("cannot write " + in_quotes(directory.string()) + ": " + error.code().message());
    } catch (...) {
      fs::remove_all(partial, none);
      throw;
    }
    output.write((options.format == OutputFormat::kJson ? json() : text()) + "\n");
    output.commit();
    return kDone;
  }

 private:
  void make_table(const Model& model, Console& console) {
    Tokens tokens(model);
    ids_ = tokens.ids();
    hidden_ = model.config().hidden_size;
    vocab_ = model.config().vocab_size;
    size_ = std::min(dimensions_.value_or(kDimensions), hidden_);
    if (dimensions_.value_or(0) > hidden_) {
      throw InputError("--dimensions " + std::to_string(*dimensions_) + ", expected at most " +
                       std::to_string(hidden_) + ", the model's hidden size");
    }
    if (ids_.size() <= size_) {
      throw InputError(std::to_string(ids_.size()) + " tokens, expected more than the " + std::to_string(size_) +
                       " dimensions");
    }
    std::vector<float> vectors;
    vectors.reserve(ids_.size() * hidden_);
    Progress progress(console, true, {});
    const VectorRequest request{.dense = EmbedOptions{.pooling = PoolingMode::kMean, .normalize = false}};
    TextPipeline pipeline(model, request, tokens, {.progress = [&](const TextProgress& done) {
                            progress.show({done.texts, done.tokens, done.texts}, ids_.size());
                            return true;
                          }});
    for (TextResult result; pipeline.next(result);) {
      if (result.error) {
        throw InputError("token " + in_quotes(model.tokenizer().token(ids_[result.index])) + ": " +
                         result.error->what());
      }
      vectors.insert(vectors.end(), result.vectors.dense.begin(), result.vectors.dense.end());
    }
    const analysis::Rows rows{vectors, hidden_};
    const analysis::PrincipalComponents components = analysis::principal_components(rows, size_);
    explained_ = components.explained;
    rows_ = analysis::project(components, rows);
    weigh();
  }

  // A token's probability by Zipf's law: vocabularies are in the order of frequency.
  void weigh() {
    double sum = 0;
    for (size_t i = 0; i < ids_.size(); ++i) sum += 1.0 / static_cast<double>(i + 2);
    for (size_t i = 0; i < ids_.size(); ++i) {
      const double probability = 1.0 / static_cast<double>(i + 2) / sum;
      const auto weight = static_cast<float>(sif_ / (sif_ + probability));
      for (size_t c = 0; c < size_; ++c) rows_[i * size_ + c] *= weight;
    }
  }

  void write(const fs::path& source, const fs::path& partial) const {
    fs::create_directories(partial);
    const auto copy = [&](std::string_view kind, const char* name) {
      if (kind == "tokenizer" && fs::exists(source / name)) copy_side_file(source, name, partial);
    };
#define BERT_MODEL_FILE(kind, name) copy(#kind, name);
#include "model_files.inc"
#undef BERT_MODEL_FILE
    nlohmann::ordered_json config = {{"model_type", "model2vec"},
                                     {"architectures", {"StaticModel"}},
                                     {"tokenizer_name", name_of_source(source)},
                                     {"apply_pca", size_},
                                     {"sif_coefficient", sif_},
                                     {"hidden_dim", size_},
                                     {"seq_length", 1000000},
                                     {"normalize", true},
                                     {"pooling", "mean"}};
    Output config_file((partial / "config.json").string(), Output::Access::kStream);
    config_file.write(config.dump(1) + "\n");
    config_file.commit();

    Output table((partial / "model.safetensors").string(), Output::Access::kSeekable);
    VectorFile file(table, {VectorLayout::Format::kSafetensors, NumberType::kFloat16, size_});
    const std::vector<float> none(size_);
    size_t next = 0;
    for (size_t id = 0; id < vocab_; ++id) {
      const bool has_row = next < ids_.size() && static_cast<size_t>(ids_[next]) == id;
      file.add(has_row ? std::span(rows_).subspan(next * size_, size_) : std::span(none));
      if (has_row) ++next;
    }
    file.finish();
    table.commit();
  }

  static std::string name_of_source(const fs::path& source) {
    return (source.has_filename() ? source : source.parent_path()).filename().string();
  }

  std::string text() const {
    return with_commas(ids_.size()) + " of " + with_commas(vocab_) + " tokens, " + std::to_string(size_) +
           " principal components of " + std::to_string(hidden_) + " dimensions with " + fixed(100 * explained_, 1) +
           " % of the variance";
  }

  std::string json() const {
    JsonWriter object;
    object.number("tokens", ids_.size());
    object.number("vocabulary", vocab_);
    object.number("dimensions", size_);
    object.number("explained_variance", explained_);
    return object.take();
  }

  std::optional<size_t> dimensions_;
  double sif_ = 1e-4;         // smooth inverse frequency
  std::vector<int32_t> ids_;  // of the tokens that have a row
  std::vector<float> rows_;   // [ids, size]
  size_t hidden_ = 0, vocab_ = 0, size_ = 0;
  double explained_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_distill() { return std::make_unique<Distill>(); }

}  // namespace bert::cli
