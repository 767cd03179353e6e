// Checks that bert/bert_vectors.h returns the same vectors and rows as the C++ library.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bert/bert_vectors.h"
#include "bert/model.h"
#include "bert/token_vectors.h"
#include "bert/vectors.h"
#include "tests/support/random.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

std::vector<float> values_of(const bert_vectors* vectors) {
  const float* data = bert_vectors_data(vectors);
  return {data, data + bert_vectors_count(vectors) * bert_vectors_size(vectors)};
}

TEST(CApiVectors, AreOfATextsTokens) {
  const test::TemporaryDirectory directory;
  test::write_tiny_m3(directory);
  bert_model* model = nullptr;
  ASSERT_EQ(bert_model_load(directory.path().c_str(), nullptr, &model), BERT_OK) << bert_error_message();
  const Model same = Model::load(directory.path().string());
  const std::string query = "the quick fox", document = "the lazy dog jumps";
  bert_vectors *of_query = nullptr, *of_document = nullptr;
  ASSERT_EQ(bert_embed_tokens(model, {query.data(), query.size()}, BERT_QUERY, &of_query), BERT_OK);
  ASSERT_EQ(bert_embed_tokens(model, {document.data(), document.size()}, BERT_DOCUMENT, &of_document), BERT_OK);
  EXPECT_EQ(std::vector<uint32_t>(bert_vectors_tokens(of_query),
                                  bert_vectors_tokens(of_query) + bert_vectors_count(of_query)),
            same.vectors(query, {.tokens = true, .role = TextRole::kQuery}).tokens.tokens);
  EXPECT_EQ(bert_vectors_starts(of_query), nullptr);
  double score = 0;
  const auto rows = [](const bert_vectors* vectors) {
    return bert_vector_rows{bert_vectors_data(vectors), bert_vectors_count(vectors), bert_vectors_size(vectors)};
  };
  ASSERT_EQ(bert_max_sim(rows(of_query), rows(of_document), &score), BERT_OK);
  EXPECT_EQ(score, MaxSim(1).score(values_of(of_query), values_of(of_document), rows(of_query).size));
  bert_vector_rows other = rows(of_document);
  --other.size;
  EXPECT_EQ(bert_max_sim(rows(of_query), other, &score), BERT_INVALID_ARGUMENT);
  bert_vectors_free(of_query);
  bert_vectors_free(of_document);
  bert_model_free(model);

  ASSERT_EQ(bert_model_load(nullptr, nullptr, &model), BERT_OK);
  EXPECT_EQ(bert_embed_tokens(model, {"a", 1}, BERT_QUERY, &of_query), BERT_NOT_FOUND);
  EXPECT_EQ(of_query, nullptr);
  EXPECT_EQ(bert_embed_tokens(model, {"a", 1}, 2, &of_query), BERT_NOT_FOUND);
  bert_model_free(model);
}

TEST(CApiVectors, AreOfATextsChunks) {
  bert_model* model = nullptr;
  ASSERT_EQ(bert_model_load(nullptr, nullptr, &model), BERT_OK);
  const std::string text = "É, a cat sat. It purred. Then it slept.";
  bert_chunk_options options = BERT_CHUNK_OPTIONS_INIT;
  options.sentences = 1;
  options.offset_unit = BERT_UTF16;
  bert_vectors* vectors = nullptr;
  ASSERT_EQ(bert_embed_chunks(model, {text.data(), text.size()}, &options, &vectors), BERT_OK) << bert_error_message();
  ASSERT_EQ(bert_vectors_count(vectors), 3u);
  EXPECT_EQ(bert_vectors_tokens(vectors), nullptr);
  bert_vectors_free(vectors);
  options.sentences = 0;
  EXPECT_EQ(bert_embed_chunks(model, {text.data(), text.size()}, &options, &vectors), BERT_INVALID_ARGUMENT);
  EXPECT_EQ(vectors, nullptr);
  bert_model_free(model);
}

TEST(CApiIndex, FindsTheLibrarysRows) {
  constexpr size_t kSize = 48, kRows = 300;
  std::vector<float> vectors(kRows * kSize);
  test::Random random(7);
  for (float& value : vectors) value = random.uniform();
  const bert_vector_rows rows = {vectors.data(), kRows, kSize};
  const test::TemporaryDirectory directory;
  const std::string file = (directory.path() / "index").string();
  for (const int32_t scan : {BERT_SCAN_FLOAT32, BERT_SCAN_INT8, BERT_SCAN_BINARY}) {
    bert_index_options options = BERT_INDEX_OPTIONS_INIT;
    options.scan = scan;
    options.label = "made of these";
    bert_index *in_memory = nullptr, *mapped = nullptr;
    ASSERT_EQ(bert_index_create(rows, &options, &in_memory), BERT_OK) << bert_error_message();
    ASSERT_EQ(bert_index_write(file.c_str(), rows, &options), BERT_OK) << bert_error_message();
    ASSERT_EQ(bert_index_open(file.c_str(), nullptr, &mapped), BERT_OK) << bert_error_message();
    EXPECT_EQ(bert_index_rows(mapped), kRows);
    EXPECT_EQ(bert_index_size(mapped), kSize);
    EXPECT_STREQ(bert_index_label(mapped), "made of these");
    const VectorIndex same(vectors, kSize, {.scan = static_cast<ScanRows>(scan)});
    const std::vector<SearchHit> expected = same.search({vectors.data() + 5 * kSize, kSize}, {.top = 4}).front();
    for (const bert_index* index : {in_memory, mapped}) {
      bert_hit hits[4];
      size_t found = 0;
      ASSERT_EQ(bert_index_search(index, vectors.data() + 5 * kSize, 4, hits, &found), BERT_OK);
      ASSERT_EQ(found, expected.size());
      for (size_t i = 0; i < found; ++i) {
        EXPECT_EQ(hits[i].row, expected[i].row);
        EXPECT_EQ(hits[i].score, expected[i].score);
      }
    }
    bert_index_free(in_memory);
    bert_index_free(mapped);
  }
}

TEST(CApiIndex, RefusesWhatIsWrong) {
  bert_index* index = nullptr;
  EXPECT_EQ(bert_index_create({nullptr, 2, 3}, nullptr, &index), BERT_INVALID_ARGUMENT);
  EXPECT_EQ(bert_index_create({nullptr, static_cast<size_t>(-1), static_cast<size_t>(-1)}, nullptr, &index),
            BERT_INVALID_ARGUMENT);
  EXPECT_EQ(bert_index_open("/no/such/file", nullptr, &index), BERT_NOT_FOUND) << bert_error_message();
  EXPECT_EQ(index, nullptr);
  EXPECT_EQ(bert_index_open(nullptr, nullptr, &index), BERT_INVALID_ARGUMENT);
  const float one[] = {1, 0};
  EXPECT_NE(bert_index_write("/no/such/folder/file", {one, 1, 2}, nullptr), BERT_OK);
  bert_index_options options = BERT_INDEX_OPTIONS_INIT;
  options.scan = 3;
  EXPECT_EQ(bert_index_create({one, 1, 2}, &options, &index), BERT_INVALID_ARGUMENT);
  ASSERT_EQ(bert_index_create({one, 1, 2}, nullptr, &index), BERT_OK);
  size_t found = 7;
  EXPECT_EQ(bert_index_search(index, one, 0, nullptr, &found), BERT_OK);
  EXPECT_EQ(found, 0u);
  EXPECT_EQ(bert_index_search(index, nullptr, 1, nullptr, &found), BERT_INVALID_ARGUMENT);
  EXPECT_EQ(bert_index_search(nullptr, one, 1, nullptr, &found), BERT_INVALID_ARGUMENT);
  bert_index_free(index);
  bert_index_free(nullptr);
}

}  // namespace
}  // namespace bert
