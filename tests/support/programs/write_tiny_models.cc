// Writes a small model of each kind into a subfolder with the kind's name, for tests in other languages:
//   write_tiny_models FOLDER
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>

#include "tests/models/families/privacy_model.h"
#include "tests/support/firing_models.h"
#include "tests/support/random.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_gliner2.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

constexpr size_t kLabels = 20, kManyLabels = 3000;

// Writes a model with a classifier of `outputs` outputs.
void write_classifier(const TemporaryDirectory& directory, const std::string& architecture, size_t outputs) {
  const TinyModel model{.architectures = {architecture}};
  write_tiny_model(directory, model, [&](TinyTensors& tensors) {
    Random random(7);
    tensors["classifier.weight"] = {{outputs, model.hidden}, random.numbers(outputs * model.hidden)};
    tensors["classifier.bias"] = {{outputs}, random.numbers(outputs)};
  });
}

void write_all(const std::filesystem::path& folder) {
  const auto write = [&](const std::string& name, const std::function<void(const TemporaryDirectory&)>& write_one) {
    const TemporaryDirectory directory;
    write_one(directory);
    std::filesystem::copy(directory.path(), folder / name, std::filesystem::copy_options::recursive);
  };
  write("embedder", [](const auto& directory) { write_tiny_model(directory); });
  write("merged", [](const auto& directory) { write_tiny_merged_model(directory); });
  write("adapter", [](const auto& directory) { write_tiny_adapter(directory, "nowhere"); });
  write("classifier",
        [](const auto& directory) { write_classifier(directory, "BertForSequenceClassification", kLabels); });
  write("classifier-many",
        [](const auto& directory) { write_classifier(directory, "BertForSequenceClassification", kManyLabels); });
  write("reranker", [](const auto& directory) { write_classifier(directory, "BertForSequenceClassification", 1); });
  write("tagger", [](const auto& directory) { write_classifier(directory, "BertForTokenClassification", kLabels); });
  write("sparse", [](const auto& directory) { write_tiny_splade(directory, "{}"); });
  write("several-vectors", [](const auto& directory) { write_tiny_m3(directory); });
  write("classes", [](const auto& directory) {
    write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
  });
  write("ranker", [](const auto& directory) { write_tiny_classifier(directory, {"relevant"}); });
  write("reader", [](const auto& directory) { write_tiny_reader(directory); });
  write("gliner", [](const auto& directory) { write_tiny_gliner(directory); });
  write("gliner-labels", [](const auto& directory) { write_tiny_gliner(directory, {.encodes_labels = true}); });
  write("gliner-words",
        [](const auto& directory) { write_tiny_gliner(directory, {.reads_words = true, .encodes_labels = true}); });
  write("firing-gliner", [](const auto& directory) { write_firing_gliner(directory); });
  write("firing-tagger", [](const auto& directory) {
    write_firing_tagger(directory, {{"brown", "B-ANIMAL"}, {"fox", "E-ANIMAL"}});
  });
  write("privacy-filter", [](const auto& directory) { write_tiny_privacy_filter(directory); });
  write("gliner2", [](const auto& directory) { write_tiny_gliner2(directory); });
  write("gliclass", [](const auto& directory) { write_tiny_gliclass(directory, {.architecture = "bi-encoder"}); });
}

}  // namespace
}  // namespace bert::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "expected: write_tiny_models FOLDER\n";
    return 2;
  }
  try {
    bert::test::write_all(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
