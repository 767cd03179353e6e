// The facade on small models made here: what it gives, what it refuses, how it stands many threads.
#include "bert/model.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/compare.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

using Ids = std::vector<int32_t>;

class TinyModelTest : public ::testing::Test {
 protected:
  Model load(const test::TinyModel& model = {}, const std::function<void(test::TinyTensors&)>& edit = {},
             const LoadOptions& options = {.threads = 2}) {
    test::write_tiny_model(directory_, model, edit);
    return Model::load(directory_.path().string(), options);
  }
  test::TemporaryDirectory directory_;
};

template <class Call>
std::string refusal(ErrorCode code, const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "";
}

TEST_F(TinyModelTest, EncodesATextWithItsTokens) {
  const Model model = load();
  const EncodedText encoded = model.encode("The quick fox");
  EXPECT_EQ(encoded.encoding.ids, (Ids{2, 5, 6, 8, 3}));  // by hand from the vocabulary
  EXPECT_EQ(encoded.tokens, 5u);
  EXPECT_EQ(encoded.hidden, 24u);
  EXPECT_EQ(encoded.last_hidden_state.size(), 5u * 24);
  EXPECT_EQ(encoded.pooler_output.size(), 24u);
  EXPECT_TRUE(encoded.hidden_states.empty());
  EXPECT_TRUE(encoded.attentions.empty());
}

TEST_F(TinyModelTest, EncodesAPairWithItsSegments) {
  const EncodedText encoded = load().encode("The fox", "The dog");
  EXPECT_EQ(encoded.encoding.ids, (Ids{2, 5, 8, 3, 5, 12, 3}));
  EXPECT_EQ(encoded.encoding.type_ids, (Ids{0, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(encoded.tokens, 7u);
}

TEST_F(TinyModelTest, ShowsHiddenStatesThatEndInTheLast) {
  const EncodedText encoded = load().encode("The fox", {.hidden_states = true});
  const size_t size = encoded.last_hidden_state.size();
  ASSERT_EQ(encoded.hidden_states.size(), 3 * size);
  EXPECT_TRUE(test::same_bits({encoded.hidden_states.data() + 2 * size, size}, encoded.last_hidden_state));
}

TEST_F(TinyModelTest, GivesTheSameBitsWhetherItIsWatchedOrNot) {
  const Model model = load();
  EXPECT_TRUE(test::same_bits(model.encode("The fox", {.hidden_states = true, .attentions = true}).last_hidden_state,
                              model.encode("The fox").last_hidden_state));
}

TEST_F(TinyModelTest, ShowsAttentionsThatSumToOne) {
  const EncodedText encoded = load().encode("The quick brown fox", {.attentions = true});
  ASSERT_EQ(encoded.attentions.size(), 2u * 3 * 6 * 6);  // layers, heads, query, key
  for (size_t row = 0; row < 2 * 3 * 6; ++row) {
    double sum = 0;
    for (size_t key = 0; key < 6; ++key) sum += encoded.attentions[row * 6 + key];
    EXPECT_NEAR(sum, 1, 1e-6) << row;
  }
}

TEST_F(TinyModelTest, CutsATextAtItsLimitAndSaysSo) {
  const Model model = load({.positions = 6});
  EXPECT_EQ(model.max_length(), 6u);
  EXPECT_EQ(model.max_positions(), 6u);
  const EncodedText encoded = model.encode("the quick brown fox jumps over");
  EXPECT_EQ(encoded.tokens, 6u);
  EXPECT_EQ(encoded.encoding.truncated_tokens, 2u);
}

TEST_F(TinyModelTest, EmbedsByTheMeanOfAllTokensUnlessToldOtherwise) {
  const Model model = load();
  EXPECT_EQ(model.pooling().mode, PoolingMode::kMean);
  EXPECT_FALSE(model.pooling().normalize);
  EXPECT_FALSE(model.pooling().declared);
  const EncodedText encoded = model.encode("The fox");
  std::vector<double> mean(24), first(24), largest(24, -1e9);
  for (size_t token = 0; token < 4; ++token) {
    for (size_t c = 0; c < 24; ++c) {
      const double value = encoded.last_hidden_state[token * 24 + c];
      mean[c] += value / 4;
      if (token == 0) first[c] = value;
      largest[c] = std::max(largest[c], value);
    }
  }
  EXPECT_TRUE(test::within(1e-7, model.embed("The fox"), mean));
  EXPECT_TRUE(test::within(0, model.embed("The fox", {.pooling = PoolingMode::kCls}), first));
  EXPECT_TRUE(test::within(0, model.embed("The fox", {.pooling = PoolingMode::kMax}), largest));
  EXPECT_TRUE(test::same_bits(model.embed("The fox", {.pooling = PoolingMode::kPooler}), encoded.pooler_output));
}

TEST_F(TinyModelTest, NormalizesWhereItIsAskedTo) {
  const std::vector<float> vector = load().embed("The fox", {.normalize = true});
  double square = 0;
  for (const float value : vector) square += static_cast<double>(value) * static_cast<double>(value);
  EXPECT_NEAR(square, 1, 1e-6);
}

TEST_F(TinyModelTest, FollowsTheModelsOwnPoolingSettings) {
  test::write_tiny_model(directory_);
  directory_.write("modules.json", R"([
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])");
  std::filesystem::create_directory(directory_.path() / "1_Pooling");
  directory_.write("1_Pooling/config.json", R"({"word_embedding_dimension": 24, "pooling_mode_cls_token": true,
    "pooling_mode_mean_tokens": false, "pooling_mode_max_tokens": false, "pooling_mode_mean_sqrt_len_tokens": false})");
  const Model model = Model::load(directory_.path().string(), {.threads = 1});
  EXPECT_EQ(model.pooling().mode, PoolingMode::kCls);
  EXPECT_TRUE(model.pooling().normalize);
  EXPECT_TRUE(model.pooling().declared);
}

TEST_F(TinyModelTest, FindsTheEncoderInTheFolderThatModulesJsonNames) {
  const std::vector<float> expected = load().embed("The quick fox");
  const std::filesystem::path folder = directory_.path() / "0_Transformer";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) files.push_back(entry.path());
  std::filesystem::create_directory(folder);
  for (const auto& file : files) std::filesystem::rename(file, folder / file.filename());
  directory_.write("modules.json", R"([
    {"type": "sentence_transformers.models.Transformer", "path": "0_Transformer"},
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  std::filesystem::create_directory(directory_.path() / "1_Pooling");
  directory_.write("1_Pooling/config.json", R"({"word_embedding_dimension": 24, "pooling_mode_mean_tokens": true})");
  EXPECT_EQ(Model::load(directory_.path().string()).embed("The quick fox"), expected);
  EXPECT_EQ(load_tokenizer(directory_.path().string()).tokenizer.tokenize("fox").ids.size(), 3u);
}

TEST_F(TinyModelTest, RefusesThePoolerByNameWhereThereIsNone) {
  const Model model = load({.pooler = false});
  EXPECT_FALSE(model.has_pooler());
  EXPECT_TRUE(model.encode("The fox").pooler_output.empty());
  EXPECT_FALSE(model.embed("The fox").empty());
  const std::string error =
      refusal(ErrorCode::kNotFound, [&] { model.embed("The fox", {.pooling = PoolingMode::kPooler}); });
  EXPECT_NE(error.find("pooler"), std::string::npos) << error;
}

TEST_F(TinyModelTest, RefusesHalfAPooler) {
  const std::string error = refusal(
      ErrorCode::kNotFound, [&] { load({}, [](test::TinyTensors& tensors) { tensors.erase("pooler.dense.bias"); }); });
  EXPECT_NE(error.find("pooler.dense.bias"), std::string::npos) << error;
}

TEST_F(TinyModelTest, ChecksSequencesAsEncodeDoes) {
  const Model model = load();
  EXPECT_NO_THROW(model.check({.ids = Ids{1, 39}}));
  const std::vector<TokenSequence> bad = {{.ids = Ids{}}};
  const Ids past = {1, 40};
  EXPECT_NE(refusal(ErrorCode::kInvalidArgument, [&] { model.check({.ids = past}); }).find("token 1 has id 40"),
            std::string::npos);
  EXPECT_NE(refusal(ErrorCode::kInvalidArgument, [&] { model.encode(bad); }), "");
  EXPECT_NE(refusal(ErrorCode::kInvalidArgument, [&] { model.embed(bad); }), "");
  EXPECT_NE(refusal(ErrorCode::kInvalidArgument, [&] { model.encode(std::span<const TokenSequence>()); }), "");
}

TEST_F(TinyModelTest, RefusesANaNInTheOutputForTheSequenceThatHasIt) {
  const Model model = load({}, [](test::TinyTensors& tensors) {
    tensors["embeddings.word_embeddings.weight"].values[7 * 24 + 3] = std::numeric_limits<float>::quiet_NaN();
  });
  const Ids good = {2, 5, 3}, bad = {2, 7, 3};
  EXPECT_NO_THROW(model.encode(std::vector<TokenSequence>{{.ids = good}}));
  const std::vector<TokenSequence> batch = {{.ids = good}, {.ids = bad}};
  for (const bool embed : {false, true}) {
    const std::string error = refusal(ErrorCode::kNonFinite, [&] {
      if (embed) {
        model.embed(batch);
      } else {
        model.encode(batch);
      }
    });
    EXPECT_NE(error.find("sequence 1"), std::string::npos) << error;
    EXPECT_NE(error.find("NaN"), std::string::npos) << error;
  }
}

TEST_F(TinyModelTest, RefusesANaNInThePoolersOutput) {
  const Model model = load({}, [](test::TinyTensors& tensors) {
    tensors["pooler.dense.bias"].values[5] = std::numeric_limits<float>::quiet_NaN();
  });
  EXPECT_NE(refusal(ErrorCode::kNonFinite, [&] { model.embed("fox", {.pooling = PoolingMode::kPooler}); }), "");
  EXPECT_NE(refusal(ErrorCode::kNonFinite, [&] { model.encode("fox"); }), "");
}

TEST_F(TinyModelTest, ChecksEveryWeightWhereItIsAskedTo) {
  const std::string error = refusal(ErrorCode::kNonFinite, [&] {
    load({},
         [](test::TinyTensors& tensors) {
           tensors["encoder.layer.1.output.dense.weight"].values[0] = std::numeric_limits<float>::infinity();
         },
         {.check_tensors = true});
  });
  EXPECT_NE(error.find("encoder.layer.1.output.dense.weight"), std::string::npos) << error;
}

TEST_F(TinyModelTest, LeavesTypeIdsOutForAModelOfOneSegment) {
  const Model model = load({.types = 1});
  const Encoding encoding = model.tokenizer().tokenize("the fox", "the dog");
  EXPECT_TRUE(model.sequence(encoding).type_ids.empty());
  EXPECT_NO_THROW(model.encode("the fox", "the dog"));
}

TEST_F(TinyModelTest, GivesMaskedTokensNoRowAndNoWeight) {
  const Model model = load();
  const Ids ids = {2, 5, 8, 3, 0, 0}, short_ids = {2, 5, 8, 3};
  const std::vector<uint8_t> mask = {1, 1, 1, 1, 0, 0};
  const std::vector<TokenSequence> sequences = {{.ids = ids, .attention_mask = mask}, {.ids = short_ids}};
  const auto encoded = model.encode(sequences);
  EXPECT_EQ(encoded[0].tokens, 4u);
  EXPECT_TRUE(test::same_bits(encoded[0].last_hidden_state, encoded[1].last_hidden_state));
}

TEST_F(TinyModelTest, ShowsThePartsOfItsEmbeddings) {
  const Model model = load();
  const std::vector<int32_t> ids = {2, 7, 9, 3}, type_ids = {0, 0, 1, 1};
  const std::vector<uint8_t> mask = {1, 0, 1, 1};
  const TokenSequence sequence{ids, type_ids, mask};
  const EmbeddingParts parts = model.embedding_parts(sequence);
  ASSERT_EQ(parts.tokens, 3u);
  ASSERT_EQ(parts.sum.size(), parts.tokens * parts.hidden);
  for (size_t i = 0; i < parts.sum.size(); ++i) {
    ASSERT_EQ(parts.sum[i], parts.word[i] + parts.segment[i] + parts.position[i]) << i;
  }
  const PositionTable table = model.position_table();
  ASSERT_EQ(table.values.size(), model.max_positions() * parts.hidden);
  // The second row is the third token: the masked one keeps its position.
  for (size_t c = 0; c < parts.hidden; ++c) {
    EXPECT_EQ(parts.position[parts.hidden + c], table.values[2 * table.hidden + c]);
  }
  const EncodedSequence encoded = model.encode({&sequence, 1}, {.hidden_states = true}).front();
  EXPECT_TRUE(std::equal(parts.normalized.begin(), parts.normalized.end(), encoded.hidden_states.begin()));
}

TEST_F(TinyModelTest, RefusesANaNInTheInsideOfItsEmbeddings) {
  const Ids ids = {2, 7, 3};
  for (const char* table : {"word_embeddings", "position_embeddings", "token_type_embeddings"}) {
    const Model model = load({}, [&](test::TinyTensors& tensors) {
      tensors["embeddings." + std::string(table) + ".weight"].values[0] = std::numeric_limits<float>::infinity();
    });
    const bool word = table[0] == 'w', position = table[0] == 'p';  // no token has the id 0
    const auto parts = [&] { model.embedding_parts({.ids = ids}); };
    EXPECT_EQ(refusal(ErrorCode::kNonFinite, parts), word ? ""
                                                          : std::string("a NaN or an infinity in the embeddings' ") +
                                                                (position ? "position" : "segment") +
                                                                " vectors, expected finite numbers");
    EXPECT_EQ(refusal(ErrorCode::kNonFinite, [&] { model.position_table(); }).empty(), !position) << table;
  }
}

TEST_F(TinyModelTest, CutsItsVectorsBeforeItNormalizesThem) {
  const Model model = load();
  const std::vector<float> whole = model.embed("the fox", {.normalize = false});
  const std::vector<float> cut = model.embed("the fox", {.normalize = false, .dimensions = 5});
  EXPECT_TRUE(test::same_bits(cut, std::span(whole).first(5)));
  double norm = 0;
  for (const float value : model.embed("the fox", {.normalize = true, .dimensions = 5})) {
    norm += static_cast<double>(value) * static_cast<double>(value);
  }
  EXPECT_NEAR(norm, 1, 1e-6);
  EXPECT_EQ(model.embedding_size({.dimensions = 5}), 5u);
  EXPECT_THROW(model.embed("the fox", {.dimensions = 0}), Error);
  EXPECT_THROW(model.embed("the fox", {.dimensions = whole.size() + 1}), Error);
}

TEST_F(TinyModelTest, PutsAPromptBeforeTheText) {
  directory_.write("config_sentence_transformers.json",
                   R"({"prompts": {"query": "the quick ", "plain": ""}, "default_prompt_name": "query"})");
  const Model model = load();
  EXPECT_EQ(model.embed("fox"), model.embed("the quick fox", {.prompt = "plain"}));
  EXPECT_NE(model.embed("fox"), model.embed("fox", {.prompt = "plain"}));
  try {
    model.embed("fox", {.prompt = "passage"});
    ADD_FAILURE() << "was embedded";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("prompt 'passage' is not in the model in"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("expected plain, query"), std::string::npos) << error.what();
  }
}

TEST_F(TinyModelTest, DescribesItsTensorsAndBackend) {
  const Model model = load();
  const ModelDescription description = model.describe();
  EXPECT_EQ(description.source, directory_.path().string());
  EXPECT_EQ(description.tensors.size(), 5u + 2 * 16 + 2);
  size_t bytes = 0;
  for (const TensorInfo& tensor : description.tensors) {
    EXPECT_TRUE(tensor.used) << tensor.name;
    EXPECT_EQ(tensor.dtype, "F32");
    bytes += tensor.bytes;
  }
  // By hand: (40 + 2 + 24 + 2) rows of 24; a layer 4 · (24² + 24) + 2 · 24 · 50 + 50 + 24 + 4 · 24; pooler 24² + 24.
  EXPECT_EQ(bytes, 4u * (68 * 24 + 2 * (4 * 600 + 2400 + 74 + 96) + 600));
  EXPECT_EQ(description.threads, 2u);
  EXPECT_FALSE(description.isa_reason.empty());
}

TEST_F(TinyModelTest, IsNoBuiltinModelWhateverItsDirectoryIsCalled) {
  test::write_tiny_model(directory_);
  const std::filesystem::path before = std::filesystem::current_path();
  const std::filesystem::path inside = directory_.path() / "inside";
  std::filesystem::create_directory(inside);
  std::filesystem::create_directory_symlink(directory_.path(), inside / "built-in");
  std::filesystem::current_path(inside);
  const Model model = Model::load("built-in");
  std::filesystem::current_path(before);
  EXPECT_EQ(model.describe().source, "built-in");
  EXPECT_FALSE(model.describe().is_builtin);
  EXPECT_NE(refusal(ErrorCode::kNotFound, [&] { model.prompt("query"); }).find("the model in 'built-in'"),
            std::string::npos);
}

TEST_F(TinyModelTest, CountsWhatAPassCosts) {
  const Model model = load();
  const std::vector<size_t> lengths = {3, 5};
  const ForwardCost cost = model.cost(lengths);
  // Two layers: 8 tokens through 4 · 24² + 2 · 24 · 50 weights, 3² + 5² pairs of 24 values, twice; the pooler of two.
  EXPECT_EQ(cost.flops, 2 * (2.0 * 8 * (4 * 576 + 2400) + 4.0 * 34 * 24) + 2.0 * 2 * 576);
  EXPECT_EQ(cost.weight_bytes, 4u * (2 * 24 + 2 * (4 * 600 + 2400 + 74 + 96) + 600));  // without the tables
  EXPECT_GT(cost.workspace_bytes, 0u);
}

TEST_F(TinyModelTest, GivesManyThreadsAtOnceTheSameBits) {
  const Model model = load({.hidden = 48, .layers = 3, .intermediate = 96, .positions = 64});
  test::Random random(3);
  std::vector<Ids> texts;
  for (const size_t length : {1, 3, 17, 40, 64}) {
    texts.emplace_back();
    for (size_t i = 0; i < length; ++i) texts.back().push_back(static_cast<int32_t>(random.below(40)));
  }
  std::vector<EncodedSequence> expected;
  for (const Ids& ids : texts) {
    const TokenSequence sequence{.ids = ids};
    expected.push_back(model.encode({&sequence, 1}).front());
  }
  std::vector<int> different(4);
  std::vector<std::thread> users;
  for (size_t user = 0; user < different.size(); ++user) {
    users.emplace_back([&, user] {
      for (size_t pass = 0; pass < 30; ++pass) {
        const size_t text = (pass + user) % texts.size();
        const std::vector<TokenSequence> batch = {{.ids = texts[text]}, {.ids = texts[pass % texts.size()]}};
        const auto got = model.encode(batch, {.attentions = pass % 3 == 0});
        different[user] += !test::same_bits(got[0].last_hidden_state, expected[text].last_hidden_state);
        different[user] += !test::same_bits(got[0].pooler_output, expected[text].pooler_output);
      }
    });
  }
  for (std::thread& user : users) user.join();
  EXPECT_EQ(different, std::vector<int>(4, 0));
}

// A stored copy of a tied decoder may be as large as all layers: a start does not wait for it.
TEST_F(TinyModelTest, DoesNotReadATiedDecoderThatIsStoredToo) {
  const auto add_head = [](test::TinyTensors& tensors) {
    const auto ones = [&](const std::string& name, std::vector<size_t> shape, size_t count) {
      tensors["cls.predictions." + name] = {std::move(shape), std::vector<float>(count, 1)};
    };
    ones("bias", {40}, 40);
    ones("transform.dense.weight", {24, 24}, 24 * 24);
    ones("transform.dense.bias", {24}, 24);
    ones("transform.LayerNorm.weight", {24}, 24);
    ones("transform.LayerNorm.bias", {24}, 24);
  };
  const Ids ids = {2, 7, 3};
  const TokenSequence sequence{.ids = ids};
  const auto outputs = [&](const Model& model) { return model.logits(Head::kMaskedLm, {&sequence, 1})[0].values; };
  const Model without = load({}, add_head);
  const std::vector<float> expected = outputs(without);
  const Model with = load({},
                          [&](test::TinyTensors& tensors) {
                            add_head(tensors);
                            tensors["cls.predictions.decoder.weight"] = {
                                {40, 24}, std::vector<float>(40 * 24, std::numeric_limits<float>::quiet_NaN())};
                          },
                          {.check_tensors = true});
  EXPECT_EQ(with.notices().size(), without.notices().size() + 1);
  EXPECT_EQ(with.notices().back(),
            "the tensor 'cls.predictions.decoder.weight' is not used: tie_word_embeddings puts the word embeddings in "
            "its place");
  EXPECT_TRUE(test::same_bits(outputs(with), expected));
}

#if defined(__SSE__)
TEST_F(TinyModelTest, ComputesTheSameBitsWhateverTheCallersFloatingPointMode) {
  constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040, kRoundDown = 0x2000;
  const auto tiny_numbers = [](test::TinyTensors& tensors) {
    for (float& value : tensors["encoder.layer.1.output.LayerNorm.weight"].values) value *= 1e-39f;
    for (float& value : tensors["encoder.layer.1.output.LayerNorm.bias"].values) value *= 1e-39f;
  };
  const Model model = load({}, tiny_numbers);
  const auto outputs = [](const Model& of) {
    EncodedText encoded = of.encode("The quick fox");
    std::vector<float> all = std::move(encoded.last_hidden_state);
    for (const PoolingMode mode : {PoolingMode::kMean, PoolingMode::kPooler}) {
      const std::vector<float> vector = of.embed("The quick fox", {.pooling = mode});
      all.insert(all.end(), vector.begin(), vector.end());
    }
    return all;
  };
  const std::vector<float> expected = outputs(model);
  ASSERT_EQ(std::fpclassify(expected[0]), FP_SUBNORMAL);
  const unsigned own = __builtin_ia32_stmxcsr();
  const unsigned modes = kFlushToZero | kDenormalsAreZero | kRoundDown;
  __builtin_ia32_ldmxcsr(own | modes);
  const std::vector<float> got = outputs(model), loaded_in_it = outputs(Model::load(directory_.path().string()));
  const unsigned after = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(own);
  EXPECT_TRUE(test::same_bits(got, expected));
  EXPECT_TRUE(test::same_bits(loaded_in_it, expected));
  EXPECT_EQ(after & modes, modes) << "the caller's own mode is gone";
}
#endif

TEST(BuiltinModel, LoadsAndTellsLikeFromUnlike) {
  const Model model = Model::builtin({.threads = 1});
  EXPECT_EQ(model.describe().source, "built-in");
  EXPECT_TRUE(model.describe().is_builtin);
  const auto cosine = [&](const char* a, const char* b) { return cosine_similarity(model.embed(a), model.embed(b)); };
  EXPECT_GT(cosine("A man is playing a guitar.", "A person plays the guitar."),
            cosine("A man is playing a guitar.", "The committee rejected the budget."));
}

// The cosines of the reference for a trained model: mean over the last layer's tokens, [CLS] and [SEP] included.
TEST(StsBenchmark, HasTheReferencesCosines) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own");
  BERT_TEST_DATA_OR_SKIP(path, "eval/stsb_dev.own-bert-tiny-pretrained.jsonl");
  const Model model = Model::load(folder.string());
  std::ifstream file(path);
  double worst = 0;
  size_t lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    const auto json = nlohmann::json::parse(line);
    const Ids a = json["ids_a"], b = json["ids_b"];
    ASSERT_EQ(model.tokenizer().tokenize(json["a"].get<std::string>()).ids, a) << "line " << lines + 1;
    ASSERT_EQ(model.tokenizer().tokenize(json["b"].get<std::string>()).ids, b) << "line " << lines + 1;
    const std::vector<float> vectors = model.embed(std::vector<TokenSequence>{{.ids = a}, {.ids = b}});
    const std::span<const float> all(vectors);
    const double got = cosine_similarity(all.first(128), all.last(128));
    const double error = std::abs(got - json["cosine"].get<double>());
    EXPECT_LE(error, 1e-6) << "line " << lines + 1 << ": " << got << ", expected " << json["cosine"];
    worst = std::max(worst, error);
  }
  EXPECT_EQ(lines, 1500u);
  std::printf("STS-B dev: largest error of a cosine %.3g\n", worst);
}

}  // namespace
}  // namespace bert
