#include "program/server/queue/model_set.h"

#include <gtest/gtest.h>

#include "bert/quantize.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

using server::ModelKind;
using server::ModelSet;

TEST(ModelSet, KnowsKindsAndDigests) {
  BERT_TEST_DATA_OR_SKIP(reranker, "family/tiny-rerank");
  BERT_TEST_DATA_OR_SKIP(classifier, "checkpoint/bert-tiny-own-sst2");
  ModelSet models({{"a", ""}, {"b", reranker.string()}, {"c", classifier.string()}}, {});
  EXPECT_FALSE(models.is_loaded());
  models.load();
  EXPECT_TRUE(models.is_loaded());
  EXPECT_EQ(models.first(ModelKind::kEmbedder)->source.name, "a");
  EXPECT_EQ(models.first(ModelKind::kReranker)->source.name, "b");
  EXPECT_EQ(models.first(ModelKind::kClassifier)->source.name, "c");
  EXPECT_EQ(models.find("b")->digest.text(), "");
  models.find_digests();
  EXPECT_EQ(models.find("a")->digest.text(), "");
  EXPECT_EQ(models.find("b")->digest.text(), file_sha256(reranker / "model.safetensors"));
  EXPECT_EQ(models.find("d"), nullptr);
}

TEST(ModelSet, MakesAClassifierOfTwoLabelsARerankerByItsRelevantLabel) {
  const TemporaryDirectory named, unnamed;
  write_tiny_classifier(named, {"irrelevant", "relevant"});
  write_tiny_classifier(unnamed, {"LABEL_0", "LABEL_1"});
  const std::vector<server::NamedDirectory> both = {{"a", named.path().string()}, {"b", unnamed.path().string()}};
  ModelSet usual(both, {});
  usual.load();
  EXPECT_EQ(usual.find("a")->kind, ModelKind::kReranker);
  EXPECT_EQ(usual.find("b")->kind, ModelKind::kClassifier);
  ModelSet chosen(both, {}, "LABEL_1");
  chosen.load();
  EXPECT_EQ(chosen.find("a")->kind, ModelKind::kReranker);
  EXPECT_EQ(chosen.find("b")->kind, ModelKind::kReranker);
  EXPECT_EQ(chosen.find("b")->relevant_label, "LABEL_1");
  ModelSet wrong(both, {}, "LABEL_3");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { wrong.load(); }),
            "relevant label 'LABEL_3': no model is a classifier of two labels of which it is one");
}

TEST(ModelSet, ReloadsWhatWasReplacedAndKeepsWhatIsInUse) {
  const TemporaryDirectory folder;
  write_tiny_model(folder);
  ModelSet models({{"a", folder.path().string()}}, {});
  models.load();
  models.find_digests();
  const server::ServedModelPtr before = models.find("a");
  const std::vector<float> vector = before->model.embed("the fox");

  const TemporaryDirectory other;
  write_tiny_model(other, {}, [](TinyTensors& tensors) {
    for (float& value : tensors["embeddings.word_embeddings.weight"].values) value *= 2;
  });
  std::filesystem::rename(other.path() / "model.safetensors", folder.path() / "model.safetensors");
  std::string failure;
  const auto failed = [&](const server::NamedDirectory&, const Error& error) { failure = error.what(); };
  models.reload(failed);
  EXPECT_EQ(failure, "");
  models.find_digests();
  const std::string digest = models.find("a")->digest.text();
  EXPECT_EQ(digest, file_sha256(folder.path() / "model.safetensors"));
  EXPECT_NE(digest, before->digest.text());
  models.reload(failed);
  models.find_digests();
  EXPECT_EQ(models.find("a")->digest.text(), digest);
  EXPECT_NE(models.find("a")->model.embed("the fox"), vector);
  EXPECT_EQ(before->model.embed("the fox"), vector);

  const server::ServedModelPtr now = models.find("a");
  std::filesystem::remove(folder.path() / "config.json");
  models.reload(failed);
  EXPECT_TRUE(failure.starts_with("cannot load 'a': ")) << failure;
  EXPECT_EQ(models.find("a"), now);
}

// All models share one limit. A model that is loaded again gets the share of its former version.
TEST(ModelSet, SharesTheMemoryOfPackedWeights) {
  const TemporaryDirectory folder;
  write_tiny_model(folder);
  const std::string directory = folder.path().string();
  ModelSet alone({{"a", directory}}, {.packed_bytes = SIZE_MAX});
  alone.load();
  const size_t one = alone.find("a")->packed_bytes;
  ASSERT_GT(one, 0u);
  ModelSet models({{"a", directory}, {"b", directory}}, {.packed_bytes = 2 * one - 1});
  models.load();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(models.find("a")->packed_bytes, one);
    EXPECT_EQ(models.find("b")->packed_bytes, 0u);
    models.reload([](const server::NamedDirectory&, const Error& error) { FAIL() << error.what(); });
  }
}

// Each adapter is a model with its own name and needs memory for the tensors that it changes. Messages name no
// adapter's directory.
TEST(ModelSet, HasAdaptersOfAModelAsModels) {
  const TemporaryDirectory base, adapter, merged;
  write_tiny_model(base);
  write_tiny_adapter(adapter, "somewhere");
  write_tiny_merged_model(merged);
  const std::string directory = base.path().string(), changes = adapter.path().string();
  ModelSet models({{"base", directory}, {"changed", directory, changes}, {"merged", merged.path().string()}},
                  {.packing = Packing::kAlways, .packed_bytes = SIZE_MAX});
  models.load();
  models.find_digests();
  const std::vector<float> expected = models.find("merged")->model.embed("the quick fox");
  EXPECT_EQ(models.find("changed")->model.embed("the quick fox"), expected);
  EXPECT_NE(models.find("base")->model.embed("the quick fox"), expected);
  EXPECT_EQ(models.find("base")->adapter_bytes, 0u);
  EXPECT_EQ(models.find("changed")->adapter_bytes, 2 * 24 * 24 * sizeof(float));
  EXPECT_EQ(models.find("changed")->packed_bytes, 0u);
  EXPECT_EQ(models.find("changed")->digest.text(), file_sha256(base.path() / "model.safetensors") + "+" +
                                                       file_sha256(adapter.path() / "adapter_model.safetensors"));
  EXPECT_EQ(models.without_directories("'" + changes + "/x' and '" + directory + "/y'"), "'changed/x' and 'base/y'");
  ModelSet lost({{"a", directory, "no-such-adapter"}}, {});
  EXPECT_NE(error_of(ErrorCode::kNotFound, [&] { lost.load(); }).find("cannot load 'a': "), std::string::npos);
}

TEST(ModelSet, RejectsNamesThatAreNoPartOfAPath) {
  EXPECT_THROW(ModelSet({{"a b", ""}}, {}), Error);
  EXPECT_THROW(ModelSet({{"", ""}}, {}), Error);
  EXPECT_THROW(ModelSet({{"a", ""}, {"a", ""}}, {}), Error);
}

}  // namespace
}  // namespace bert::test
