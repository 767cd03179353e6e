// Tests the pipeline of texts. The thread sanitizer runs this test too, to find races.
#include "bert/text_pipeline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "tests/models/allocations.h"
#include "tests/support/expect_error.h"
#include "tests/support/random.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

using namespace std::chrono_literals;
using State = TextSource::State;

// A source of items in memory. at_end: called after the last item.
class Items : public TextSource {
 public:
  explicit Items(
      std::vector<TextItem> items, std::function<State()> at_end = [] { return State::kEnd; })
      : items_(std::move(items)), at_end_(std::move(at_end)) {}
  State next(TextItem& item, Wait) override {
    EXPECT_FALSE(is_taken_.exchange(true)) << "by two threads at once";
    const State state = next_ < items_.size() ? State::kItem : at_end_();
    if (state == State::kItem) item = items_[next_++];
    is_taken_ = false;
    return state;
  }
  size_t taken() const { return next_; }

 private:
  std::vector<TextItem> items_;
  std::function<State()> at_end_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> is_taken_ = false;
};

// A source of texts that another thread pushes.
class Queue : public TextSource {
 public:
  State next(TextItem& item, Wait wait) override {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto is_there = [&] { return !texts_.empty() || is_closed_; };
    if (wait == kForever) {
      is_waited_for_ = true;
      changed_.notify_all();
      changed_.wait(lock, is_there);
      is_waited_for_ = false;
    } else if (!changed_.wait_for(lock, wait, is_there)) {
      return State::kNotYet;
    }
    if (texts_.empty()) return State::kEnd;
    item = {.text = std::move(texts_.front())};
    texts_.erase(texts_.begin());
    return State::kItem;
  }
  void push(const std::string& text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    texts_.push_back(text);
    changed_.notify_all();
  }
  void close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }
  // Waits until the pipeline has nothing to do but to wait for a text.
  void await_the_pipeline() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return is_waited_for_ && texts_.empty(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> texts_;
  bool is_waited_for_ = false, is_closed_ = false;
};

class TextPipelineTest : public ::testing::Test {
 protected:
  TextPipelineTest() { test::write_tiny_model(directory_); }

  Model load(const LoadOptions& options = {.threads = 3}) const {
    return Model::load(directory_.path().string(), options);
  }

  // Returns texts of 1 to 20 words, of the tiny vocabulary or unknown.
  static std::vector<std::string> random_texts(size_t count) {
    static const char* const kWords[] = {"the", "fox", "dog", "a", "jumps", "zzz"};
    test::Random random(7);
    std::vector<std::string> texts(count);
    for (std::string& text : texts) {
      for (size_t words = 1 + random.below(20); words > 0; --words) text += std::string(kWords[random.below(6)]) + " ";
    }
    return texts;
  }

  static std::vector<TextItem> items(const std::vector<std::string>& texts) {
    std::vector<TextItem> items;
    for (const std::string& text : texts) items.push_back({.text = text});
    return items;
  }

  static std::vector<TextResult> all(TextPipeline& pipeline) {
    std::vector<TextResult> results;
    for (TextResult result; pipeline.next(result);) results.push_back(std::move(result));
    return results;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(TextPipelineTest, GivesEachTextInOrderTheBitsThatItHasAlone) {
  const Model model = load();
  const std::vector<std::string> texts = random_texts(300);
  std::vector<std::vector<float>> alone;
  for (const std::string& text : texts) alone.push_back(model.embed(text));
  for (const size_t threads : {1, 2, 5}) {
    for (const size_t batch_tokens : {1, 40, 700, 100'000}) {
      Items source(items(texts));
      TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source,
                            {.batch_tokens = batch_tokens, .threads = threads});
      const std::vector<TextResult> results = all(pipeline);
      ASSERT_EQ(results.size(), texts.size());
      for (size_t i = 0; i < texts.size(); ++i) {
        ASSERT_EQ(results[i].input.index, i);
        ASSERT_EQ(results[i].input.text, texts[i]);
        ASSERT_EQ(results[i].vectors().dense, alone[i]) << i << " of " << threads << ", " << batch_tokens;
      }
    }
  }
}

TEST_F(TextPipelineTest, DoesWhatTheTaskSays) {
  const Model model = load();
  const auto one = [&](const TextTask& task) {
    Items source(items({"the fox"}));
    TextPipeline pipeline(model, task, source);
    TextResult result;
    EXPECT_TRUE(pipeline.next(result));
    return result;
  };
  const EncodedText expected = model.encode("the fox", {.attentions = true});
  EXPECT_EQ(std::get<EncodedSequence>(one(EncodeOptions{.attentions = true}).output).last_hidden_state,
            expected.last_hidden_state);
  EXPECT_EQ(std::get<EncodedSequence>(one(EncodeOptions{.attentions = true}).output).attentions, expected.attentions);
  EXPECT_EQ(one(VectorRequest{.dense = EmbedOptions{.dimensions = 3}}).vectors().dense,
            model.embed("the fox", {.dimensions = 3}));
  EXPECT_EQ(one(std::monostate{}).tokens.encoding.ids, expected.encoding.ids);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(one(std::monostate{}).output));
  EXPECT_THROW(one(HeadOptions{.head = Head::kNextSentence}), Error);
  EXPECT_THROW(one(VectorRequest{.dense = EmbedOptions{.prompt = "none such"}}), Error);
}

TEST_F(TextPipelineTest, LeavesTextsThatFailTheirPlaceAndTheOthersTheirBits) {
  const Model model = load();
  std::vector<TextItem> mixed = items({"the fox", "\xff", "a dog", "", "the", "fox"});
  mixed[3] = {.ids = std::vector<int32_t>{2, 1'000'000, 3}};
  mixed[4] = {.error = Error(ErrorCode::kInvalidText, "not readable")};
  mixed[5] = {.ids = std::vector<int32_t>{2, 5, 3}, .tag = std::string("mine")};
  Items source(mixed);
  TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source);
  const std::vector<TextResult> results = all(pipeline);
  ASSERT_EQ(results.size(), 6u);
  EXPECT_EQ(results[0].vectors().dense, model.embed("the fox"));
  EXPECT_EQ(results[1].error.value().code(), ErrorCode::kInvalidText);
  EXPECT_EQ(results[2].vectors().dense, model.embed("a dog"));
  EXPECT_STREQ(results[3].error.value().what(), "token 1 has id 1000000, expected 0 to 39 (the model's vocab_size)");
  EXPECT_STREQ(results[4].error.value().what(), "not readable");
  EXPECT_FALSE(results[5].error);
  EXPECT_FALSE(results[5].tokens.from_text);
  EXPECT_EQ(std::any_cast<std::string>(results[5].input.tag), "mine");
}

// Token 8 has a vector of NaN, so a text fails only during the pass, in the middle of a batch.
TEST_F(TextPipelineTest, FindsTheTextOfABatchThatFails) {
  test::write_tiny_model(directory_, {}, [](test::TinyTensors& tensors) {
    auto& table = tensors.at("embeddings.word_embeddings.weight");
    table.values[8 * table.shape[1]] = std::numeric_limits<float>::quiet_NaN();
  });
  const Model model = load();
  ASSERT_EQ(model.tokenizer().tokenize("fox").ids[1], 8);
  std::vector<std::string> texts(20, "the dog");
  texts[7] = texts[19] = "the fox";
  Items source(items(texts));
  TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source);
  const std::vector<TextResult> results = all(pipeline);
  const std::vector<float> expected = model.embed("the dog");
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i == 7 || i == 19) {
      EXPECT_EQ(results.at(i).error.value().code(), ErrorCode::kNonFinite);
      EXPECT_TRUE(results[i].vectors().dense.empty());
    } else {
      EXPECT_EQ(results.at(i).vectors().dense, expected) << i;
    }
  }
}

TEST_F(TextPipelineTest, SaysWhatWasCutAndUnknown) {
  const Model model = load();
  Items source(items({"the zzz fox zzz", "the fox the fox the"}));
  TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source,
                        {.tokenize = TokenizeOptions{.max_length = 6}});
  const std::vector<TextResult> results = all(pipeline);
  EXPECT_EQ(results[0].tokens.unknown_tokens, 2u);
  EXPECT_EQ(results[0].tokens.encoding.truncated_tokens, 0u);
  EXPECT_EQ(results[1].tokens.unknown_tokens, 0u);
  EXPECT_EQ(results[1].tokens.encoding.truncated_tokens, 1u);
}

TEST_F(TextPipelineTest, CutsWindowsOfTextsAndPairs) {
  const Model model = load();
  const std::string text = "the fox the dog the fox the dog the fox";
  std::vector<TextItem> with_pair = items({text, "the"});
  with_pair.push_back({.text = "a", .pair = text});
  TokenizeOptions cut = {.max_length = 6, .stride = 1};
  Items source(with_pair);
  TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source,
                        {.tokenize = cut, .windows = true, .batch_tokens = 14});
  const std::vector<TextResult> results = all(pipeline);
  size_t next = 0;
  for (size_t i = 0; i < with_pair.size(); ++i) {
    const auto windows = model.tokenizer().tokenize_windows(with_pair[i].text, with_pair[i].pair, cut);
    for (size_t w = 0; w < windows.size(); ++w, ++next) {
      ASSERT_EQ(results.at(next).input.index, i);
      EXPECT_EQ(results[next].input.window, w);
      EXPECT_EQ(results[next].input.text, w == 0 ? with_pair[i].text : "");
      EXPECT_EQ(results[next].tokens.encoding.ids, windows[w].ids);
      const TokenSequence sequence = model.sequence(windows[w]);
      EXPECT_EQ(results[next].vectors().dense, model.embed({&sequence, 1}));
    }
  }
  EXPECT_EQ(next, results.size());
}

TEST_F(TextPipelineTest, PutsThePromptBeforeEachText) {
  directory_.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  directory_.write("1_Pooling/config.json", "{}");
  directory_.write("config_sentence_transformers.json", R"({"prompts": {"query": "the dog "}})");
  const Model model = load();
  Items source(items({"fox"}));
  TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{.prompt = "query"}}, source);
  TextResult result;
  ASSERT_TRUE(pipeline.next(result));
  EXPECT_EQ(result.input.text, "the dog fox");
  EXPECT_EQ(result.vectors().dense, model.embed("fox", {.prompt = "query"}));
}

TEST_F(TextPipelineTest, TokenizesWithoutAModel) {
  const Tokenizer tokenizer = Tokenizer::load(directory_.path());
  Items source(items(random_texts(500)));
  TextPipeline pipeline(tokenizer, source, {.batch_tokens = 100, .threads = 3});
  const std::vector<TextResult> results = all(pipeline);
  const std::vector<std::string> texts = random_texts(500);
  ASSERT_EQ(results.size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(results[i].tokens.encoding.ids, tokenizer.tokenize(texts[i]).ids);
}

TEST_F(TextPipelineTest, AnswersALoneTextWhileTheSourceStaysOpen) {
  const Model model = load();
  Queue queue;
  TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, queue);
  std::thread writer([&] {
    for (const char* text : {"the fox", "a dog", "the"}) {
      queue.await_the_pipeline();  // each result comes before the next text is pushed
      queue.push(text);
    }
    queue.await_the_pipeline();
    queue.close();
  });
  const std::vector<TextResult> results = all(pipeline);
  writer.join();
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[2].vectors().dense, model.embed("the"));
}

TEST_F(TextPipelineTest, SaysWhetherAResultIsReady) {
  const Model model = load();
  Items source(items({"the fox", "a dog"}));
  TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source);
  TextResult result;
  EXPECT_FALSE(pipeline.ready());
  ASSERT_TRUE(pipeline.next(result));
  EXPECT_TRUE(pipeline.ready());
  ASSERT_TRUE(pipeline.next(result));
  EXPECT_FALSE(pipeline.ready());
}

TEST_F(TextPipelineTest, PassesTheSourcesExceptionOnAfterTheResultsBefore) {
  const Model model = load();
  for (const size_t count : {0, 1, 200}) {
    Items source(items(random_texts(count)), []() -> State { throw std::runtime_error("the disk is gone"); });
    TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source, {.batch_tokens = 50});
    TextResult result;
    for (size_t i = 0; i < count; ++i) ASSERT_TRUE(pipeline.next(result));
    for (int again = 0; again < 2; ++again) EXPECT_THROW(pipeline.next(result), std::runtime_error);
  }
}

TEST_F(TextPipelineTest, PassesOnWhatIsNoError) {
  const Model model = load();
  std::vector<TextItem> two = items({"the fox", "the"});
  Items source(std::move(two), []() -> State { throw 7; });
  TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source);
  TextResult result;
  ASSERT_TRUE(pipeline.next(result));
  ASSERT_TRUE(pipeline.next(result));
  EXPECT_THROW(pipeline.next(result), int);
}

TEST_F(TextPipelineTest, ReadsAheadSoFarAndNotFurther) {
  const Model model = load();
  std::vector<TextItem> many(100'000, {.text = "the fox"});  // each has 4 tokens
  Items source(std::move(many));
  TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source, {.batch_tokens = 40, .threads = 3});
  TextResult result;
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(pipeline.next(result));
  // 2 * 3 batches may wait, and each thread may compute one.
  EXPECT_LE(source.taken(), 50u + 10u * (6 + 3));
}

TEST_F(TextPipelineTest, EndsWhenItIsDestroyedEarly) {
  const Model model = load();
  for (const size_t results : {0, 1, 30, 190}) {
    Items source(items(random_texts(200)));
    TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source, {.batch_tokens = 30});
    TextResult result;
    for (size_t i = 0; i < results; ++i) ASSERT_TRUE(pipeline.next(result));
  }
}

TEST_F(TextPipelineTest, ReportsTheTextsAndTokensThatItReturned) {
  const Model model = load();
  const std::vector<std::string> texts = random_texts(200);
  TextProgress returned;
  std::vector<size_t> reported;
  const auto progress = [&](const TextProgress& done) {
    EXPECT_EQ(done.texts, returned.texts);
    EXPECT_EQ(done.tokens, returned.tokens);
    reported.push_back(done.texts);
    return true;
  };
  Items source(items(texts));
  TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source,
                        {.batch_tokens = 60, .threads = 3, .progress = progress});
  for (TextResult result; pipeline.next(result); ++returned.texts) returned.tokens += result.tokens.encoding.size();
  EXPECT_EQ(reported.front(), 0u);
  EXPECT_GE(reported.size(), 3u);
  EXPECT_EQ(reported.back(), texts.size());
}

TEST_F(TextPipelineTest, EndsWhenItsCallerCancels) {
  const Model model = load();
  std::vector<TextItem> many(5000, {.text = "the fox"});
  Items source(std::move(many));
  const auto progress = [](const TextProgress& done) { return done.texts < 50; };
  TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source,
                        {.batch_tokens = 40, .threads = 3, .progress = progress});
  const std::vector<float> expected = model.embed("the fox");
  size_t results = 0;
  const auto rest = [&] {
    for (TextResult result; pipeline.next(result); ++results) EXPECT_EQ(result.vectors().dense, expected);
  };
  EXPECT_GE(results = (test::refusal(ErrorCode::kCancelled, rest), results), 50u);
  EXPECT_LE(source.taken(), results + 10u * (6 + 3));
  const std::string again = test::refusal(ErrorCode::kCancelled, rest);
  EXPECT_EQ(again, "cancelled after " + std::to_string(results) + " texts");
}

TEST_F(TextPipelineTest, EndsWithTheExceptionOfItsProgressCallback) {
  const Model model = load();
  Items source(items({"the fox"}));
  TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source,
                        {.progress = [](const TextProgress&) -> bool { throw 7; }});
  TextResult result;
  for (int again = 0; again < 2; ++again) EXPECT_THROW(pipeline.next(result), int);
  EXPECT_EQ(source.taken(), 0u);
}

TEST_F(TextPipelineTest, OfManyTextsKeepsTheVectorsBeforeACancellation) {
  const Model model = load({.threads = 1});
  const std::vector<std::string_view> texts(2000, "the fox");  // needs several batches
  const size_t size = model.embedding_size();
  std::vector<float> vectors(texts.size() * size);
  std::vector<TextReport> reports(texts.size());
  size_t done = 0;
  const auto progress = [&](const TextProgress& now) { return (done = now.texts) == 0; };
  test::refusal(ErrorCode::kCancelled, [&] { model.embed(texts, vectors, reports, {}, progress); });
  ASSERT_GT(done, 0u);
  ASSERT_LT(done, texts.size());
  const std::vector<float> expected = model.embed("the fox");
  EXPECT_TRUE(
      std::equal(expected.begin(), expected.end(), vectors.begin() + static_cast<std::ptrdiff_t>(size * (done - 1))));
  EXPECT_FALSE(reports[done - 1].error);
  EXPECT_TRUE(std::isnan(vectors[size * done]));
  EXPECT_EQ(reports[done].error.value().code(), ErrorCode::kCancelled);

  const auto never = [](const TextProgress&) { return false; };
  test::refusal(ErrorCode::kCancelled, [&] { model.embed(texts, EmbedOptions{}, never); });
  test::refusal(ErrorCode::kCancelled, [&] { model.encode(texts, EncodeOptions{}, never); });
}

TEST_F(TextPipelineTest, RefusesMemoryOfAnotherSize) {
  const Model model = load();
  const std::vector<std::string_view> texts = {"the", "fox"};
  std::vector<float> vectors(2 * model.embedding_size());
  std::vector<TextReport> reports(1);
  EXPECT_EQ(test::refusal(ErrorCode::kInvalidArgument, [&] { model.embed(texts, vectors, reports); }),
            "memory for 48 floats and 1 reports, expected 48 and 2");
}

TEST_F(TextPipelineTest, OfSeveralModelsShareARuntime) {
  const Runtime runtime({.threads = 2});
  const Model one = load({.runtime = runtime}), other = load({.runtime = runtime});
  const std::vector<std::string> texts = random_texts(200);
  const auto run = [&](const Model& model) {
    Items source(items(texts));
    TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source, {.batch_tokens = 60});
    for (const TextResult& result : all(pipeline)) EXPECT_FALSE(result.error);
  };
  std::thread beside([&] { run(other); });
  run(one);
  beside.join();
}

TEST_F(TextPipelineTest, SplitsAPassThatExceedsTheRuntimesMemory) {
  const Model roomy = load();
  const size_t lengths[] = {24};
  const size_t memory = load({.threads = 1}).cost(lengths).workspace_bytes;  // enough for the longest text alone
  const Model model = load({.runtime = Runtime({.threads = 1, .memory_bytes = memory})});
  const std::vector<std::string> texts = random_texts(50);
  Items source(items(texts));
  TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source);
  const std::vector<TextResult> results = all(pipeline);
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(results.at(i).vectors().dense, roomy.embed(texts[i])) << i;
}

TEST_F(TextPipelineTest, GivesATextWhosePassRunsOutOfMemoryItsOwnError) {
#if !BERT_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "SKIPPED, allocations are not limited here";
#endif
  const Model model = load({.threads = 1}), roomy = load();
  const std::vector<std::string> texts = random_texts(1000);
  const auto memory = [&](size_t tokens) { return model.cost({&tokens, 1}).workspace_bytes; };
  std::vector<std::vector<float>> expected;
  for (const std::string& text : texts) expected.push_back(roomy.embed(text));
  std::vector<TextResult> results;
  {
    const test::LargestAllocation limit(memory(12));
    Items source(items(texts));
    TextPipeline pipeline(model, VectorRequest{.dense = EmbedOptions{}}, source);
    results = all(pipeline);
  }
  size_t failures = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (results.at(i).tokens.encoding.size() > 12) {
      ASSERT_TRUE(results[i].error) << i;
      EXPECT_STREQ(results[i].error->what(), "not enough memory for a forward pass of this text");
      ++failures;
    } else {
      EXPECT_EQ(results[i].vectors().dense, expected[i]) << i;
    }
  }
  EXPECT_GT(failures, 0u);
  EXPECT_LT(failures, texts.size());
}

TEST_F(TextPipelineTest, IsBeneathTheModelsCallsForManyTexts) {
  const Model model = load();
  const std::vector<std::string_view> texts = {"the fox", "\xff", "zzz dog", "the fox the fox"};
  const EmbeddedTexts embedded = model.embed(texts);
  const std::vector<EncodedText> encoded = model.encode(texts, {.hidden_states = true});
  ASSERT_EQ(embedded.reports.size(), 4u);
  ASSERT_EQ(encoded.size(), 4u);
  const size_t size = model.embedding_size();
  for (const size_t i : {0, 2, 3}) {
    const auto row = embedded.vectors.begin() + static_cast<std::ptrdiff_t>(i * size);
    EXPECT_EQ(std::vector<float>(row, row + static_cast<std::ptrdiff_t>(size)), model.embed(texts[i]));
    EXPECT_EQ(encoded[i].hidden_states, model.encode(texts[i], {.hidden_states = true}).hidden_states);
    EXPECT_FALSE(embedded.reports[i].error);
  }
  EXPECT_EQ(embedded.reports[0].tokens, 4u);
  EXPECT_EQ(embedded.reports[2].unknown_tokens, 1u);
  EXPECT_EQ(encoded[2].unknown_tokens, 1u);
  EXPECT_TRUE(std::isnan(embedded.vectors[size]));
  EXPECT_EQ(embedded.reports[1].error.value().code(), ErrorCode::kInvalidText);
  EXPECT_EQ(encoded[1].error.value().code(), ErrorCode::kInvalidText);
  EXPECT_TRUE(model.embed(std::span<const std::string_view>()).vectors.empty());
}

}  // namespace
}  // namespace bert
