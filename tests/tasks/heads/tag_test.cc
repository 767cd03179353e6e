#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "bert/text_tasks.h"
#include "tests/models/families/privacy_model.h"
#include "tests/support/expect_error.h"
#include "tests/support/tiny_model.h"
#include "tests/tasks/heads/pipeline_cases.h"

namespace bert {
namespace {

void expect_entities(const std::vector<Entity>& got, const test::Json& expected, const std::string& text) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const test::Json& entity = expected[i][expected[i].contains("entity") ? "entity" : "entity_group"];
    EXPECT_EQ(got[i].entity, entity.get<std::string>());
    EXPECT_EQ(got[i].word, expected[i]["word"].get<std::string>());
    EXPECT_NEAR(got[i].score, expected[i]["score"].get<double>(), 1e-5);
    EXPECT_EQ(test::code_points(text, got[i].start), expected[i]["start"]);
    EXPECT_EQ(test::code_points(text, got[i].end), expected[i]["end"]);
  }
}

TEST(Tag, FindsTheReferencesEntitiesByEveryAggregation) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  const Model model = Model::load(folder.string());
  size_t cases = 0;
  for (const test::Json& c : test::pipeline_cases(folder)) {
    SCOPED_TRACE(c["id"]);
    const std::string text = c["text"];
    const bool windowed = c.contains("options") && c["options"].contains("stride");
    const std::vector<Encoding> encodings = model.tokenizer().tokenize_windows(
        text, std::nullopt, {.max_length = 128, .stride = windowed ? c["options"]["stride"].get<size_t>() : 0});
    // Without a stride, tokens that do not fit are cut off.
    const std::vector<Encoding> used(encodings.begin(), windowed ? encodings.end() : encodings.begin() + 1);
    const std::vector<Logits> logits = test::logits_of(model, Head::kTokenClassification, used);
    for (const auto& [name, aggregation] : {std::pair{"none", Aggregation::kNone},
                                            {"simple", Aggregation::kSimple},
                                            {"first", Aggregation::kFirst},
                                            {"average", Aggregation::kAverage},
                                            {"max", Aggregation::kMax}}) {
      if (!c["results"].contains(name)) continue;
      SCOPED_TRACE(name);
      expect_entities(find_entities(model, text, test::windows_of(used, logits), aggregation), c["results"][name],
                      text);
    }
    ++cases;
  }
  EXPECT_EQ(cases, 92u);
}

// The scores are calculated by hand. Word 0 is "ab", two tokens with the scores (3, 1) and (0, 4) before the softmax;
// word 2 was cut off.
TEST(Tag, LabelsTheWordsThatTheCallerDivided) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  const Model model = Model::load(folder.string());
  const size_t labels = model.config().labels.size();
  Encoding encoding;
  encoding.ids = {2, 10, 11, 12, 3};
  encoding.type_ids.resize(5);
  encoding.attention_mask.assign(5, 1);
  encoding.special_tokens_mask = {1, 0, 0, 0, 1};
  encoding.word_ids = {kNoWord, 0, 0, 1, kNoWord};
  encoding.sequence_ids = {kNoSequence, 0, 0, 0, kNoSequence};
  encoding.offsets.resize(5);
  Logits logits{5, labels, std::vector<float>(5 * labels, -20.0f)};
  const auto set = [&](size_t token, float first, float second) {
    logits.values[token * labels] = first;
    logits.values[token * labels + 1] = second;
  };
  set(1, 3, 1);
  set(2, 0, 4);
  set(3, 1, 2);
  const TokenLogits sequence{&encoding, &logits};
  const std::string zero = *model.config().labels[0], one = *model.config().labels[1];
  const auto label_of_first_word = [&](Aggregation aggregation) {
    const std::vector<WordLabel> words = label_words(model, sequence, 3, aggregation);
    EXPECT_EQ(words.size(), 3u);
    EXPECT_EQ(words[1].label, one);
    EXPECT_NEAR(words[1].score, 1 / (1 + std::exp(-1.0)), 1e-6);
    EXPECT_EQ(words[2], WordLabel{});
    return words[0];
  };
  const double first = 1 / (1 + std::exp(-2.0)), second = 1 / (1 + std::exp(-4.0));
  EXPECT_EQ(label_of_first_word(Aggregation::kFirst).label, zero);
  EXPECT_NEAR(label_of_first_word(Aggregation::kFirst).score, first, 1e-6);
  EXPECT_EQ(label_of_first_word(Aggregation::kMax).label, one);
  EXPECT_NEAR(label_of_first_word(Aggregation::kMax).score, second, 1e-6);
  EXPECT_EQ(label_of_first_word(Aggregation::kAverage).label, one);
  EXPECT_NEAR(label_of_first_word(Aggregation::kAverage).score, (1 - first + second) / 2, 1e-6);
  const auto labelled = [&](size_t count, Aggregation aggregation) {
    label_words(model, sequence, count, aggregation);
  };
  test::error_of(ErrorCode::kInvalidArgument, [&] { labelled(3, Aggregation::kSimple); });
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { labelled(1, Aggregation::kFirst); }),
            "token 3 belongs to word 1 of 1");
}

// Returns the entities of a text in which each word is one token and the model gives these labels.
std::vector<std::string> entities_of(const std::vector<std::string>& labels, const std::vector<std::string>& all,
                                     TagScheme scheme = TagScheme::kFromLabels,
                                     Aggregation aggregation = Aggregation::kSimple) {
  const test::TemporaryDirectory directory;
  test::write_tiny_classifier(directory, all);  // only its labels are used
  const Model model = Model::load(directory.path().string());
  std::string text;
  for (size_t i = 0; i < labels.size(); ++i) text += i == 0 ? "dog" : " dog";
  const Encoding encoding = model.tokenizer().tokenize(text);
  Logits logits{encoding.size(), all.size(), std::vector<float>(encoding.size() * all.size())};
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto label = std::find(all.begin(), all.end(), labels[i]) - all.begin();
    logits.values[(i + 1) * all.size() + static_cast<size_t>(label)] = 9;
  }
  const TokenLogits window{&encoding, &logits};
  std::vector<std::string> found;
  for (const Entity& one : find_entities(model, text, {&window, 1}, aggregation, scheme)) {
    found.push_back(one.entity + " " + std::to_string(one.start / 4) + "-" + std::to_string(one.end / 4));
  }
  return found;
}

using Names = std::vector<std::string>;

const Names kBioes = {"O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y", "S-Y"};
const Names kBilou = {"O", "B-X", "I-X", "L-X", "U-X", "B-Y", "I-Y", "L-Y", "U-Y"};

// The expected entities are found by hand.
TEST(Tag, MergesLabelsOfBioesAndBilou) {
  for (const auto& [all, last, alone] : {std::tuple{kBioes, "E-X", "S-X"}, {kBilou, "L-X", "U-X"}}) {
    EXPECT_EQ(entities_of({"B-X", "I-X", last, "O", alone}, all), (Names{"X 0-2", "X 4-4"}));
    EXPECT_EQ(entities_of({alone, alone, "B-X", last, "B-X", last}, all), (Names{"X 0-0", "X 1-1", "X 2-3", "X 4-5"}));
    // An entity may lack the label of its beginning or end. A label of another kind begins another entity.
    EXPECT_EQ(entities_of({"B-X", "I-X", "O", "I-X", last, last, "B-X"}, all),
              (Names{"X 0-1", "X 3-4", "X 5-5", "X 6-6"}));
    EXPECT_EQ(entities_of({"B-X", "I-Y", last}, all), (Names{"X 0-0", "Y 1-1", "X 2-2"}));
    EXPECT_EQ(entities_of({"B-X", alone, "I-X"}, all), (Names{"X 0-0", "X 1-1", "X 2-2"}));
    EXPECT_EQ(entities_of({"B-X", last}, all, TagScheme::kFromLabels, Aggregation::kFirst), (Names{"X 0-1"}));
    EXPECT_EQ(entities_of({"B-X", last}, all, TagScheme::kFromLabels, Aggregation::kNone),
              (Names{"B-X 0-0", std::string(last) + " 1-1"}));
    // As in the reference, a first letter that the scheme does not know is part of the kind.
    EXPECT_EQ(entities_of({"B-X", "I-X", last, alone, alone}, all, TagScheme::kIob),
              (Names{"X 0-1", "X 2-2", "X 3-4"}));
  }
}

TEST(Tag, DecidesTheSchemeByTheModelsLabels) {
  const auto scheme = [](const Names& labels) {
    ModelConfig config;
    config.labels.assign(labels.begin(), labels.end());
    return tag_scheme(config);
  };
  EXPECT_EQ(scheme(kBioes), TagScheme::kBioes);
  EXPECT_EQ(scheme(kBilou), TagScheme::kBilou);
  EXPECT_EQ(scheme({"O", "S-X", "E-X"}), TagScheme::kBioes);
  EXPECT_EQ(scheme({"O", "B-X", "I-X"}), TagScheme::kIob);
  EXPECT_EQ(scheme({"S-X", "B-X", "other"}), TagScheme::kIob);
  EXPECT_EQ(scheme({"O", "S-X", "U-X"}), TagScheme::kIob);
  EXPECT_EQ(scheme({"O", "E-"}), TagScheme::kIob);
  EXPECT_EQ(scheme({"O"}), TagScheme::kIob);
}

// Returns the entities of a text in which every token has the first label.
std::vector<Entity> tag(const Model& model, std::string_view text, const Encoding& encoding,
                        Aggregation aggregation = Aggregation::kNone) {
  Logits logits{encoding.size(), 2, std::vector<float>(2 * encoding.size())};
  for (size_t i = 0; i < encoding.size(); ++i) logits.values[2 * i] = 1;
  const TokenLogits window{&encoding, &logits};
  return find_entities(model, text, {&window, 1}, aggregation);
}

TEST(Tag, ShowsTheTextOfAnUnknownTokenWhateverItsName) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  std::string vocabulary = test::tiny_vocabulary(40);
  vocabulary.replace(vocabulary.find("[UNK]"), 5, "[OOV]");
  directory.write("vocab.txt", vocabulary);
  directory.write("tokenizer_config.json", R"({"do_lower_case": true, "unk_token": "[OOV]"})");
  const Model model = Model::load(directory.path().string());
  const std::vector<Entity> entities = tag(model, "the xyz", model.tokenizer().tokenize("the xyz"));
  ASSERT_EQ(entities.size(), 2u);
  EXPECT_EQ(entities[1].word, "xyz");
}

// The pieces are found by the prefix of the tokenizer's model, not by the text of a token.
TEST(Tag, JoinsThePiecesOfAWordByTheTokenizersPrefix) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  std::string vocabulary = test::tiny_vocabulary(40);
  vocabulary.replace(vocabulary.find("##s"), 3, "##o");
  directory.write("vocab.txt", vocabulary);
  test::Json config = test::Json::parse(test::read_file(directory.path() / "config.json"));
  config["id2label"] = {{"0", "B-X"}, {"1", "O"}};  // each token alone would begin an entity
  directory.write("config.json", config.dump());
  const Model model = Model::load(directory.path().string());
  const std::vector<Entity> entities = tag(model, "foxo", model.tokenizer().tokenize("foxo"), Aggregation::kFirst);
  ASSERT_EQ(entities.size(), 1u);
  EXPECT_EQ(entities[0].word, "foxo");
}

// Returns a window whose only token covers the bytes from `begin` to `end`.
Encoding token_at(size_t begin, size_t end) {
  Encoding encoding;
  encoding.ids = {5};
  encoding.special_tokens_mask = {0};
  encoding.offsets = {{begin, end}};
  encoding.word_ids = {0};
  encoding.sequence_ids = {0};
  return encoding;
}

// As in the reference, the overlapping entity with more characters is kept: here the one of three characters and 5
// bytes, not the one of two characters and 6 bytes.
TEST(Tag, KeepsTheEntityOfMoreCharactersWhereWindowsOverlap) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  const Model model = Model::load(directory.path().string());
  const Encoding first = token_at(0, 6), second = token_at(3, 8);
  const Logits logits{1, 2, {1, 0}};
  const TokenLogits windows[] = {{&first, &logits}, {&second, &logits}};
  const std::vector<Entity> entities = find_entities(model, "中国ab", windows, Aggregation::kNone);
  ASSERT_EQ(entities.size(), 1u);
  EXPECT_EQ(entities[0].start, 3u);
  EXPECT_EQ(entities[0].end, 8u);
  EXPECT_EQ(entities[0].code_point_start, 1u);
  EXPECT_EQ(entities[0].code_point_end, 4u);
}

// The expected entities are those of the pipeline of transformers 5.23.
TEST(Tag, ListsAnEmptyFirstEntityOfWindowsTwice) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  const Model model = Model::load(directory.path().string());
  const Encoding first = token_at(1, 1), second = token_at(2, 2);
  const Logits logits{1, 2, {1, 0}};
  const TokenLogits windows[] = {{&first, &logits}, {&second, &logits}};
  EXPECT_EQ(find_entities(model, "a b", windows, Aggregation::kNone).size(), 3u);
}

// With biases, the labels of neighbouring tokens must follow the scheme, which their best labels do not.
TEST(Tag, DecodesLabelsWhereTheDirectoryHasBiases) {
  const test::TemporaryDirectory directory, never;
  test::write_tiny_privacy_filter(directory);
  test::write_tiny_privacy_filter(never, -1e6);
  const auto letters = [](const test::TemporaryDirectory& folder, TagScheme scheme = TagScheme::kFromLabels) {
    std::map<size_t, char> found;  // the first letter of each token's label
    const Model model = Model::load(folder.path().string());
    const TagOptions options{.aggregation = Aggregation::kNone, .scheme = scheme};
    for (const Entity& one : bert::tag(model, "the quick brown fox jumps over the lazy dog and the cat", options)) {
      found[one.start] = one.entity[0];
    }
    return found;
  };
  const auto is_valid = [](const std::map<size_t, char>& found) {
    bool is_open = false;
    for (const auto& [start, letter] : found) {
      if (is_open != (letter == 'I' || letter == 'E')) return false;
      is_open = letter == 'B' || letter == 'I';
    }
    return !is_open;
  };
  const std::map<size_t, char> decoded = letters(directory), each = letters(directory, TagScheme::kIob);
  EXPECT_FALSE(decoded.empty());
  EXPECT_TRUE(is_valid(decoded));
  EXPECT_FALSE(is_valid(each));
  EXPECT_TRUE(letters(never).empty());
  EXPECT_EQ(letters(never, TagScheme::kIob), each);
}

TEST(Tag, RefusesOutputsAndTextsThatAreNotOfTheTokens) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  const Model model = Model::load(directory.path().string());
  const Encoding padded = model.tokenizer().tokenize("the fox", {.padding = {.length = 6}});
  EXPECT_NO_THROW(tag(model, "the fox", padded));
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { tag(model, "the", padded); }),
            "token 2 is said to be bytes 4 to 7 of the text, expected them in its 3");
  Encoding without_mask = padded;
  without_mask.special_tokens_mask.pop_back();
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { tag(model, "the fox", without_mask); }),
            "5 special tokens mask values for 6 tokens, expected as many");
  const TokenSequence sequence = model.sequence(padded);
  const Logits of_the_rows{model.sizes(sequence).tokens, 2, std::vector<float>(8)};  // padding has no row
  const TokenLogits window{&padded, &of_the_rows};
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument,
                           [&] {
                             find_entities(model, "the fox", {&window, 1}, Aggregation::kSimple);
                           }),
            "8 outputs as [4, 2], expected [6, 2] for 6 tokens");
}

}  // namespace
}  // namespace bert
