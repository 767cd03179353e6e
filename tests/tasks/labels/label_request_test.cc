#include "tasks/labels/label_request.h"

#include <gtest/gtest.h>
#include <functional>

#include "bert/text_pipeline.h"
#include "tests/support/expect_error.h"
#include "tests/support/firing_models.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_gliner2.h"

namespace bert {
namespace {

struct LabelModel {
  test::TemporaryDirectory directory;
  Model model;
  explicit LabelModel(const test::TinyGliner& form = {}) : model(load(form)) {}
  Model load(const test::TinyGliner& form) const {
    test::write_tiny_gliner(directory, form);
    return Model::load(directory.path().string(), {.threads = 1});
  }
};

TEST(LabelRequest, IsChecked) {
  const LabelModel tiny;
  const auto refusal = [&](const LabelRequest& request) {
    return test::error_of(ErrorCode::kInvalidArgument, [&] { find_entities(tiny.model, "the dog", request); });
  };
  EXPECT_EQ(refusal({}), "no labels, expected at least one");
  EXPECT_EQ(refusal({.labels = {"dog", ""}}), "an empty label, expected text in each");
  EXPECT_EQ(refusal({.labels = {"dog", "fox"}, .names = {"animal"}}), "1 names of labels, expected 2, one for each");
  EXPECT_EQ(refusal({.labels = {"dog"}, .threshold = 1.5}), "threshold 1.500000, expected 0 to 1");
  EXPECT_EQ(refusal({.labels = std::vector<std::string>(1001, "dog")}), "1001 labels, expected at most 1000");
}

TEST(LabelRequest, CountsARepeatedLabelOnceAndShowsItsFirstName) {
  const LabelModel tiny;
  const PreparedLabels labels =
      prepare_labels(tiny.model, LabelRequest{.labels = {"dog", "fox", "dog"}, .names = {"a", "b", "c"}});
  EXPECT_EQ(labels.request.labels, (std::vector<std::string>{"dog", "fox"}));
  EXPECT_EQ(labels.request.names, (std::vector<std::string>{"a", "b"}));
  const auto named =
      find_entities(tiny.model, "the lazy dog", {.labels = {"dog"}, .names = {"animal"}, .threshold = 0});
  ASSERT_FALSE(named.empty());
  EXPECT_EQ(named[0].entity, "animal");
}

TEST(LabelRequest, IsForModelsThatReadLabels) {
  const Model builtin = Model::builtin({.threads = 1});
  EXPECT_FALSE(reads_labels(builtin, LabelTask::kEntities));
  EXPECT_EQ(test::error_of(ErrorCode::kUnsupported, [&] { find_entities(builtin, "a", {.labels = {"b"}}); }),
            "the built-in model does not read labels for entities, expected a GLiNER model");
  const LabelModel gliner;
  EXPECT_TRUE(reads_labels(gliner.model, LabelTask::kEntities));
  EXPECT_FALSE(reads_labels(gliner.model, LabelTask::kClasses));
  EXPECT_NE(test::error_of(ErrorCode::kUnsupported, [&] { score_labels(gliner.model, "a", {.labels = {"b"}}); })
                .find("does not read labels for classes, expected a GLiClass model"),
            std::string::npos);
}

TEST(LabelRequest, HasAVectorForEachLabelOfABiEncoder) {
  const LabelModel tiny({.encodes_labels = true});
  const PreparedLabels labels = prepare_labels(tiny.model, LabelRequest{.labels = {"dog", "fox"}});
  const ConstMatrixView vectors = label_vectors(tiny.model, labels);
  EXPECT_EQ(vectors.rows, 2u);
  EXPECT_EQ(vectors.cols, 24u);
  EXPECT_EQ(label_vectors(tiny.model, labels).data, vectors.data);
  const PreparedLabels fox = prepare_labels(tiny.model, LabelRequest{.labels = {"fox"}});
  const ConstMatrixView other = label_vectors(tiny.model, fox);
  EXPECT_TRUE(std::equal(other.row(0), other.row(0) + other.cols, vectors.row(1)));
  EXPECT_EQ(label_vectors(LabelModel().model, labels).rows, 0u);
}

using Write = std::function<void(const test::TemporaryDirectory&)>;

Model model_of(const Write& write) {
  const test::TemporaryDirectory directory;
  write(directory);
  return Model::load(directory.path().string(), {.threads = 2, .copy_weights = true});
}

const std::vector<std::pair<const char*, Write>> kModels = {
    {"gliner", [](const auto& directory) { test::write_tiny_gliner(directory); }},
    {"words", [](const auto& directory) { test::write_tiny_gliner(directory, {.reads_words = true}); }},
    {"few words", [](const auto& directory) { test::write_tiny_gliner(directory, {.settings = R"("max_len": 5)"}); }},
    {"own encoder", [](const auto& directory) { test::write_tiny_gliner(directory, {.encodes_labels = true}); }},
    {"gliner2", [](const auto& directory) { test::write_tiny_gliner2(directory); }},
    {"boundaries", [](const auto& directory) { test::write_tiny_gliner2(directory, {.has_boundaries = true}); }},
    {"gliclass", [](const auto& directory) { test::write_tiny_gliclass(directory); }},
    {"labels last",
     [](const auto& directory) { test::write_tiny_gliclass(directory, {.settings = R"("prompt_first": false)"}); }}};

// Returns a text of two hundred words, with words of several tokens and characters of several bytes.
std::string long_text() {
  std::string text = "  ";
  for (int i = 0; i < 40; ++i) text += "the dogs-dog jumps, é over " + std::to_string(i) + " lazy\n";
  return text;
}

TextOptions in_windows(const Model& model, const TextTask& task, size_t stride) {
  TextOptions options{.tokenize = default_tokenize_options(model, task), .windows = true};
  options.tokenize->stride = stride;
  return options;
}

TEST(LabelWindows, GiveTheBitsOfEachPartAloneAndThePlacesOfTheText) {
  const std::string text = long_text();
  const std::vector<std::string_view> lines = {text, "the dog", "", text};
  for (const auto& [name, write] : kModels) {
    SCOPED_TRACE(name);
    const Model model = model_of(write);
    const bool finds = reads_labels(model, LabelTask::kEntities);
    const LabelRequest entities{.labels = {"dog", "lazy"}, .threshold = 0.3};
    const ClassRequest classes{.labels = {"dog", "lazy"}};
    const TextTask task = finds ? TextTask(entities) : TextTask(classes);
    Texts texts(lines);
    TextPipeline pipeline(model, task, texts, in_windows(model, task, 4));
    size_t windows = 0, end = 0, found = 0;
    for (TextResult result; pipeline.next(result); ++windows) {
      ASSERT_FALSE(result.error) << result.error->what();
      ASSERT_TRUE(result.input.part);
      EXPECT_EQ(result.tokens.encoding.truncated_tokens, 0u);
      const std::string_view line = lines[result.input.index];
      const auto& part = *result.input.part;
      ASSERT_EQ(line.substr(part.begin, part.text.size()), part.text);
      if (result.input.window == 0) end = 0;
      for (size_t at = end; at < part.begin; ++at) EXPECT_TRUE(line[at] == ' ' || line[at] == '\n');
      end = part.begin + part.text.size();
      if (result.input.is_last) {
        EXPECT_EQ(end, line.size());
      }
      if (finds) {
        const std::vector<Entity> alone = find_entities(model, part.text, entities);
        ASSERT_EQ(std::get<std::vector<Entity>>(result.output).size(), alone.size());
        for (size_t i = 0; i < alone.size(); ++i, ++found) {
          const Entity& entity = std::get<std::vector<Entity>>(result.output)[i];
          EXPECT_EQ(entity.score, alone[i].score);
          EXPECT_EQ(entity.start, part.begin + alone[i].start);
          EXPECT_EQ(line.substr(entity.start, entity.end - entity.start), entity.word);
          const auto points = [&](size_t bytes) {
            return static_cast<size_t>(std::count_if(line.begin(), line.begin() + std::ptrdiff_t(bytes),
                                                     [](char c) { return (c & 0xC0) != 0x80; }));
          };
          EXPECT_EQ(entity.code_point_start, points(entity.start));
          EXPECT_EQ(entity.code_point_end, points(entity.end));
        }
      } else {
        const std::vector<LabelScore> alone = score_labels(model, part.text, classes);
        ASSERT_EQ(std::get<std::vector<LabelScore>>(result.output).size(), alone.size());
        for (size_t i = 0; i < alone.size(); ++i, ++found) {
          EXPECT_EQ(std::get<std::vector<LabelScore>>(result.output)[i].label, alone[i].label);
          EXPECT_EQ(std::get<std::vector<LabelScore>>(result.output)[i].score, alone[i].score);
        }
      }
    }
    EXPECT_GT(windows, 8u);
    EXPECT_GT(found, 4u);
  }
}

TEST(LabelWindows, RefusesAStrideOfMoreThanHalfAWindowAndTooManyWindows) {
  const Model model = model_of([](const auto& directory) { test::write_tiny_gliner(directory); });
  const PreparedLabels labels = prepare_labels(model, LabelRequest{.labels = {"dog"}});
  const std::string text = long_text();
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument,
                           [&] { label_windows(model, text, labels, {.max_length = 25, .stride = 11}); }),
            "stride 11: windows of 25 tokens hold 20 of the text, expected at most half of that");
  EXPECT_EQ(
      test::error_of(ErrorCode::kInvalidArgument,
                     [&] { label_windows(model, text, labels, {.max_length = 25, .stride = 10, .max_windows = 3}); }),
      "more than 3 windows of the text, expected a shorter one");
  EXPECT_EQ(label_windows(model, "the dog", labels, {.max_length = 25, .stride = 11}).size(), 1u);
}

}  // namespace

}  // namespace bert
