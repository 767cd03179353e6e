// The command fit: fits a classifier, a multinomial logistic regression, on a model's frozen features: the pooled
// output, or a pooling of the tokens' vectors after a layer. It uses the features that do best on held-out folds, or
// given ones. It writes the model with this classifier, and reports the accuracy of all features. For vectors in a file
// it only reports the accuracy.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bert/fit.h"
#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/input/labelled_input.h"
#include "program/cli/input/sequences.h"
#include "program/cli/output/output.h"
#include "program/cli/run/run_summary.h"
#include "program/cli/run/vector_rows.h"

namespace bert::cli {
namespace {

constexpr size_t kFolds = 5;
// Poolings of the tokens' vectors.
constexpr PoolingMode kTokenPoolings[] = {PoolingMode::kCls,          PoolingMode::kMean,
                                          PoolingMode::kMax,          PoolingMode::kMeanSqrtLength,
                                          PoolingMode::kWeightedMean, PoolingMode::kLastToken};

enum class Features { kAuto, kPooled };

class Fit : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_model(table, options);
    declare_lengths(table, options);
    declare_truncation(table, options);
    table.begin_group("Input");
    table.texts("--input", options.inputs, "FILE",
                "the texts with their labels; - is standard input (default: of JSON lines)");
    declare_records(table, options, R"({"text", "label"}, with a "pair" or not)");
    options.label = "label";
    table.text("--label-field", options.label, "NAME",
               "the object's member, or the column, that is the label (default: label)");
    table.text(
        "--vectors", vectors_, "FILE",
        "vectors in numpy's .npy, one for each text, as features: only the accuracy on held-out folds is reported");
    table.begin_group("Features");
    table.choice<Features>("--features", {{"auto", Features::kAuto}, {"pooled", Features::kPooled}}, features_,
                           "auto: the pooled output or the mean of a layer's tokens, what does best on held-out folds; "
                           "pooled: the pooled output, whose classifier transformers loads too (default: auto)");
    table.choice("--pooling", kTokenPoolings, pooling_,
                 "of the tokens' vectors of --layer, in place of --features (default: mean with --layer, else none)");
    table.number("--layer", options.layers,
                 "the last layer of the new model, 1 or more; those above it are left out (default: all layers)", 1);
    table.begin_group("Regression");
    table.positive("--C", c_, "the weight of the texts against the penalty of large weights (default: 1)");
    table.number("--folds", folds_,
                 "the number of parts of the texts that are held out in turn (default: " + std::to_string(kFolds) + ")",
                 2);
    table.begin_group("Output");
    options.formats = {OutputFormat::kText, OutputFormat::kJson};
    table.choice<OutputFormat>("--format", {{"text", OutputFormat::kText}, {"json", OutputFormat::kJson}},
                               options.format, "the form of the report (default: text)");
    table.text("--output", directory_, "DIR", "another way to name DIRECTORY, which classify loads");
  }

  int run(Console& console) override {
    if (!vectors_.empty()) return run_vectors(console);
    std::vector<std::string>& words = options.texts;
    for (std::string* named : {&directory_, &options.model}) {
      if (words.empty() || !(named->empty() || (named == &options.model && options.model_is_bundled))) continue;
      *named = words.back();
      words.pop_back();
    }
    require_no_text(options, "fit", " beside its model and its directory");
    if (options.inputs.empty() || directory_.empty()) {
      throw UsageError("fit needs --input FILE, the texts with their labels, and the name of the directory to write");
    }
    settle_records();
    Output output("", Output::Access::kStream);
    const Model model = load_model(options, console);
    if (options.layers && !pooling_) pooling_ = PoolingMode::kMean;
    if (pooling_ && features_) throw UsageError("--features is not for --pooling and --layer, which name the features");
    const bool choose = !pooling_ && features_ != Features::kPooled;
    reads_pooled_output_ = !options.layers && (!choose || can_be_pooled(model));
    check_classifier(model, choose ? PoolingMode::kMean : pooling_);
    const int status = read(model, output, console);
    number_labels();
    const size_t folds = folds_.value_or(kFolds);
    if (choose && folds < 3) {
      throw UsageError("--folds " + std::to_string(folds) + ", expected 3 or more to choose --features by them");
    }
    check_counts(folds);
    if (choose) {
      choose_by_folds(folds);
    } else {
      for (const std::vector<float>& rows : layers_) by_layer_.push_back(held_out_accuracy(data(rows), folds, c_));
      if (!pooled_.empty()) pooled_accuracy_ = held_out_accuracy(data(pooled_), folds, c_);
    }
    const std::vector<float>& features = pooling_ ? layers_[layer()] : pooled_;
    const FittedClassifier classifier{fit_logistic_regression(data(features), c_), labels_, pooling_};
    const std::vector<uint32_t> found = predict_labels(classifier.regression, features);
    for (size_t i = 0; i < found.size(); ++i) right_ += found[i] == indices_[i] ? 1 : 0;
    for (const std::string& file : write_classifier(options.model, directory_, classifier, options.load_options())) {
      console.note("not copied: " + in_quotes(file));
    }
    output.write((options.format == OutputFormat::kText ? text(output.style(), folds) : json(folds)) + "\n");
    output.commit();
    return status;
  }

 private:
  // Reads standard input as JSON lines if no option says what it contains.
  void settle_records() {
    if (options.has_records()) return;
    if (options.inputs.front() != "-") {
      throw UsageError("--input " + in_quotes(options.inputs.front()) +
                       " has lines of text by its name, without labels, expected .jsonl, .csv or .tsv, or --jsonl, "
                       "--csv or --tsv");
    }
    options.jsonl = true;
  }

  int run_vectors(Console& console) {
    require_no_text(options, "fit --vectors");
    for (const char* name : {"--model", "--output", "--features", "--pooling", "--layer"}) {
      if (options.given.contains(name)) {
        throw UsageError("--vectors are the features, without a model to write; " + std::string(name) +
                         " is given too");
      }
    }
    if (options.inputs.empty()) throw UsageError("fit --vectors needs --input FILE, the texts with their labels");
    settle_records();
    Output output("", Output::Access::kStream);
    const VectorRows rows = read_vector_file(vectors_, options, console);
    for (const size_t index : rows.indices) names_.push_back(rows.items[index].label.value_or(""));
    number_labels();
    const size_t folds = folds_.value_or(kFolds);
    check_counts(folds);
    const double accuracy = held_out_accuracy(data(rows.vectors), folds, c_);
    if (options.format == OutputFormat::kText) {
      Table table({{"features"}, {"accuracy", Align::kRight}});
      table.add({"none: the most frequent label", fixed(share_of_largest(), 4)});
      table.add({"vectors", fixed(accuracy, 4)});
      output.write(texts_line() + "\n\naccuracy on " + std::to_string(folds) + " held-out folds\n" +
                   table.text(output.style()));
    } else {
      JsonWriter object;
      add_texts(object, folds);
      object.number("accuracy", accuracy);
      output.write(object.take() + "\n");
    }
    output.commit();
    return rows.status;
  }

  void check_counts(size_t folds) const {
    const size_t fewest = *std::min_element(counts_.begin(), counts_.end());
    if (fewest >= folds) return;
    throw InputError("--folds " + std::to_string(folds) + " needs " + std::to_string(folds) +
                     " texts of each label: label " + in_quotes(labels_[fewest_label()]) + " has " +
                     std::to_string(fewest));
  }

  static bool can_be_pooled(const Model& model) {
    try {
      check_classifier(model);
      return true;
    } catch (const Error&) {
      return false;  // the family or the model lacks it; the layers' features are left
    }
  }

  // Chooses between the pooled output, if there is one, and the mean of each layer's tokens; of equal ones the highest
  // layer.
  void choose_by_folds(size_t folds) {
    std::vector<LabelledRows> kinds;
    if (!pooled_.empty()) kinds.push_back(data(pooled_));
    const size_t before_layers = kinds.size();
    for (size_t layer = 1; layer < layers_.size(); ++layer) kinds.push_back(data(layers_[layer]));
    choice_ = choose_features(kinds, folds, c_);
    by_layer_ = {held_out_accuracy(data(layers_.front()), folds, c_)};
    by_layer_.insert(by_layer_.end(), choice_->accuracies.begin() + static_cast<ptrdiff_t>(before_layers),
                     choice_->accuracies.end());
    if (before_layers == 1) pooled_accuracy_ = choice_->accuracies.front();
    if (choice_->best < before_layers) return;
    pooling_ = PoolingMode::kMean;
    if (const size_t layer = choice_->best - before_layers + 1; layer + 1 < layers_.size()) options.layers = layer;
  }

  // Returns the layer whose tokens' vectors are pooled: the last one of the new model.
  size_t layer() const { return options.layers.value_or(layers_.size() - 1); }

  LabelledRows data(const std::vector<float>& rows) const {
    return {.rows = rows, .width = rows.size() / indices_.size(), .labels = indices_, .label_count = labels_.size()};
  }

  // Computes the features and label of each text. Failed texts are reported and left out.
  int read(const Model& model, const Output& output, Console& console) {
    const std::unique_ptr<Input> lines = open_input(options);
    LabelledInput input(*lines);
    RunSummary summary(input, output, console);
    Sequences sequences(input, model, EncodeOptions{.hidden_states = true}, model_token_rules(options, model));
    layers_.resize(model.config().num_hidden_layers + 1);
    for (Sequence sequence; sequences.next(sequence);) {
      summary.count(sequence);
      if (sequence.error) continue;
      const EncodedSequence& encoded = std::get<EncodedSequence>(sequence.output);
      if (reads_pooled_output_) {
        pooled_.insert(pooled_.end(), encoded.pooler_output.begin(), encoded.pooler_output.end());
      }
      for (size_t layer = 0; layer < layers_.size(); ++layer) {
        const std::vector<float> vector = pooled_layer(encoded, layer, reported_pooling());
        layers_[layer].insert(layers_[layer].end(), vector.begin(), vector.end());
      }
      names_.push_back(input.label(sequence.input.index));
    }
    const int status = summary.finish();
    model.check_files();
    return status;
  }

  // Returns the pooling of the features in the table.
  PoolingMode reported_pooling() const { return pooling_.value_or(PoolingMode::kMean); }

  void number_labels() {
    labels_ = names_;
    std::sort(labels_.begin(), labels_.end(), label_comes_before);
    labels_.erase(std::unique(labels_.begin(), labels_.end()), labels_.end());
    if (labels_.size() < 2) {
      throw InputError("the texts have " +
                       std::string(labels_.empty() ? "no label" : "one label, " + in_quotes(labels_.front())) +
                       "; expected two or more to tell apart");
    }
    counts_.resize(labels_.size());
    for (const std::string& name : names_) {
      const auto place = std::lower_bound(labels_.begin(), labels_.end(), name, label_comes_before);
      indices_.push_back(static_cast<uint32_t>(place - labels_.begin()));
      ++counts_[indices_.back()];
    }
  }

  size_t fewest_label() const {
    return static_cast<size_t>(std::min_element(counts_.begin(), counts_.end()) - counts_.begin());
  }

  double share_of_largest() const {
    return static_cast<double>(*std::max_element(counts_.begin(), counts_.end())) /
           static_cast<double>(indices_.size());
  }

  std::string texts_line() const {
    std::string line = with_commas(indices_.size()) + " texts";
    for (size_t i = 0; i < labels_.size(); ++i) {
      line += (i == 0 ? ": " : ", ") + one_line(labels_[i]) + " " + with_commas(counts_[i]);
    }
    return line;
  }

  std::string text(const TextStyle& style, size_t folds) const {
    Table table({{"features"}, {"accuracy", Align::kRight}});
    table.add({"none: the most frequent label", fixed(share_of_largest(), 4)});
    for (size_t layer = 0; layer < by_layer_.size(); ++layer) {
      table.add({layer_features(layer) + (layer == 0 ? ", the embeddings" : ""), fixed(by_layer_[layer], 4)});
    }
    if (!pooled_.empty()) table.add({"pooled output", fixed(pooled_accuracy_, 4)});
    std::string end = one_line(directory_) + ": the model with a classifier on the " + features() + " of all texts";
    if (choice_) {
      end += ", the best of " + std::to_string(choice_->accuracies.size()) +
             " features. Where each fold's features are the best of the other folds: accuracy " +
             fixed(choice_->accuracy, 4);
    } else {
      end += "; accuracy on held-out folds: " + fixed(accuracy(), 4);
    }
    return texts_line() + "\n\naccuracy on " + std::to_string(folds) + " held-out folds\n" + table.text(style) + "\n" +
           end;
  }

  double accuracy() const { return pooling_ ? by_layer_[layer()] : pooled_accuracy_; }

  std::string features() const { return pooling_ ? layer_features(layer()) : "pooled output"; }

  std::string layer_features(size_t layer) const {
    return std::string(name(reported_pooling())) + " of layer " + std::to_string(layer);
  }

  // Adds texts, labels, folds.
  void add_texts(JsonWriter& object, size_t folds) const {
    object.number("texts", indices_.size());
    std::string& list = object.member("labels");
    for (size_t i = 0; i < labels_.size(); ++i) {
      JsonWriter one;
      one.string("label", labels_[i]);
      one.number("texts", counts_[i]);
      list += (i == 0 ? '[' : ',') + one.take();
    }
    list += ']';
    object.number("folds", folds);
  }

  std::string json(size_t folds) const {
    JsonWriter object;
    object.string("directory", directory_);
    add_texts(object, folds);
    if (pooling_) object.string("pooling", std::string(name(*pooling_)));
    if (pooling_) object.number("layer", layer());
    object.numbers<double>("accuracy_by_layer", by_layer_);
    if (!pooled_.empty()) object.number("accuracy_of_pooled_output", pooled_accuracy_);
    object.number("accuracy", accuracy());
    if (choice_) object.number("nested_accuracy", choice_->accuracy);
    object.number("right", right_);
    return object.take();
  }

  std::string directory_, vectors_;
  std::optional<Features> features_;
  std::optional<PoolingMode> pooling_;  // nullopt: the classifier reads the pooled output
  std::optional<FeatureChoice> choice_;
  bool reads_pooled_output_ = false;
  double c_ = 1;
  std::optional<size_t> folds_;

  std::vector<std::string> names_;          // label of each text
  std::vector<std::string> labels_;         // the different labels
  std::vector<size_t> counts_;              // number of texts of each label
  std::vector<uint32_t> indices_;           // index of each text's label
  std::vector<float> pooled_;               // [texts, hidden]; empty if it is not used as a feature
  std::vector<std::vector<float>> layers_;  // [layers + 1], each [texts, hidden]
  std::vector<double> by_layer_;
  double pooled_accuracy_ = 0;
  size_t right_ = 0;  // correct predictions among the texts on which the classifier was fitted
};

}  // namespace

std::unique_ptr<Command> make_fit() { return std::make_unique<Fit>(); }

}  // namespace bert::cli
