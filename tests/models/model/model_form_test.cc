// Tests which form a directory has.
#include "models/model/model_form.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/stored_tensors.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_gliner2.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

class ModelFormTest : public ::testing::Test {
 protected:
  ModelForm read() const { return read_form(directory_.path(), {}); }
  const test::TemporaryDirectory directory_;
};

TEST_F(ModelFormTest, IsOneOfThoseThatReadLabels) {
  const test::TemporaryDirectory gliner, gliner2, gliclass;
  test::write_tiny_gliner(gliner);
  test::write_tiny_gliner2(gliner2);
  test::write_tiny_gliclass(gliclass);
  EXPECT_EQ(read_form(gliner.path(), {}).prefix, "token_rep_layer.bert_layer.model.");
  EXPECT_EQ(read_form(gliner2.path(), {}).prefix, "encoder.");
  EXPECT_EQ(read_form(gliclass.path(), {}).prefix, "model.encoder_model.");
}

// A library without label models has an empty list of forms.
TEST_F(ModelFormTest, IsRefusedByNameIfItReadsLabelsAndNoListedFormIsOfIt) {
  const test::TemporaryDirectory gliner, gliner2, gliclass;
  test::write_tiny_gliner(gliner);
  test::write_tiny_gliner2(gliner2);
  test::write_tiny_gliclass(gliclass);
  const std::pair<const test::TemporaryDirectory*, const char*> cases[] = {
      {&gliner, "it has gliner_config.json"},
      {&gliner2, "config.json has the model_type extractor"},
      {&gliclass, "config.json has the model_type GLiClass"}};
  for (const auto& [directory, sign] : cases) {
    const auto path = directory->path();
    EXPECT_EQ(test::error_of(ErrorCode::kUnsupported, [&] { refuse_label_reader(path); }),
              "'" + path.string() + "': a model that reads labels (" + sign +
                  "), but this library was built without tasks/labels");
  }
  EXPECT_NO_THROW(refuse_label_reader(directory_.path()));
  test::write_tiny_model(directory_);
  EXPECT_NO_THROW(refuse_label_reader(directory_.path()));
}

TEST_F(ModelFormTest, IsAStaticModel) {
  directory_.write("modules.json", R"([{"type": "sentence_transformers.models.StaticEmbedding", "path": ""}])");
  const ModelForm form = read();
  EXPECT_EQ(form.static_kind, StaticKind::kRows);
  EXPECT_TRUE(form.tokenizer.of_static_model);
  EXPECT_EQ(form.config_if_any(), nullptr);
}

TEST_F(ModelFormTest, IsElseAnEncoder) {
  test::write_tiny_model(directory_);
  const ModelForm form = read();
  EXPECT_EQ(form.static_kind, StaticKind::kNone);
  ASSERT_NE(form.config_if_any(), nullptr);
  EXPECT_EQ(form.config_if_any()->hidden_size, 24u);
  EXPECT_FALSE(form.read_extension);
  EXPECT_FALSE(form.needs_tokenizer);
}

TEST_F(ModelFormTest, LowerCasesTextsFirstIfItsTransformerModuleSaysSo) {
  test::write_tiny_model(directory_);
  directory_.write("sentence_bert_config.json", R"({"do_lower_case": true})");
  EXPECT_FALSE(read().tokenizer.lowercase_first) << "there is no modules.json";
  directory_.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""}])");
  EXPECT_TRUE(read().tokenizer.lowercase_first);
  directory_.write("sentence_bert_config.json", R"({"do_lower_case": false})");
  EXPECT_FALSE(read().tokenizer.lowercase_first);
}

TEST_F(ModelFormTest, HasTheErrorOfAMissingConfiguration) {
  const ModelForm form = read();
  EXPECT_EQ(form.config_if_any(), nullptr);
  EXPECT_EQ(std::get<Error>(form.config).code(), ErrorCode::kNotFound);
}

TEST_F(ModelFormTest, HasTheErrorOfAMissingAdapter) {
  test::write_tiny_model(directory_);
  try {
    read_form(directory_.path(), {.adapter = "/not/there"});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_EQ(std::string(error.what()).find("adapter (LoRA) '/not/there': not there, expected a directory with"), 0u)
        << error.what();
  }
}

// A function for each form, which writes a directory.
using WriteForm = void (*)(const test::TemporaryDirectory&);
constexpr std::pair<const char*, WriteForm> kForms[] = {
    {"encoder", [](const auto& directory) { test::write_tiny_model(directory); }},
    {"static",
     [](const auto& directory) {
       directory.write("vocab.txt", test::tiny_vocabulary(20));
       directory.write("model.safetensors", test::image_of({test::floats("embedding.weight", {20, 2})}));
       directory.write("modules.json", R"([{"type": "sentence_transformers.models.StaticEmbedding", "path": ""}])");
     }},
    {"gliner", [](const auto& directory) { test::write_tiny_gliner(directory); }},
    {"gliner bi-encoder", [](const auto& directory) { test::write_tiny_gliner(directory, {.encodes_labels = true}); }},
    {"gliner2", [](const auto& directory) { test::write_tiny_gliner2(directory); }},
    {"gliclass", [](const auto& directory) { test::write_tiny_gliclass(directory); }},
    {"gliclass bi-encoder",
     [](const auto& directory) { test::write_tiny_gliclass(directory, {.architecture = "bi-encoder"}); }}};

// Adds an unknown tensor to the file of weights, or writes a NaN as the first number of the first tensor.
void add_unknown_tensor(const test::TemporaryDirectory& directory, bool has_nan) {
  std::vector<test::TestTensor> tensors = test::stored_tensors(directory.path());
  if (has_nan) tensors.front().data.replace(0, sizeof(float), std::string("\0\0\xc0\x7f", sizeof(float)));
  if (!has_nan) tensors.push_back(test::floats("a_tensor_that_nobody_knows", {1}));
  directory.write("model.safetensors", test::image_of(tensors));
}

// Returns how many lines of this process's memory map have the path.
size_t mappings_of(const std::filesystem::path& path) {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find(path.string()) != line.npos ? 1 : 0;
  return count;
}

// LoadOptions::revision is only for names, and static_file only for directories with two descriptions of a static
// model.
TEST(EachForm, ReadsOrRefusesEachLoadOption) {
  for (const auto& [name, write] : kForms) {
    SCOPED_TRACE(name);
    const test::TemporaryDirectory directory;
    write(directory);
    const auto load = [&](const LoadOptions& options) { return Model::load(directory.path().string(), options); };
    const auto refusal = [&](const LoadOptions& options) { return test::error_of([&] { load(options); }); };
    const auto notices = [&](const LoadOptions& options) {
      const Model model = load(options);
      std::string all;
      for (const std::string& notice : model.notices()) all += notice + "\n";
      return all;
    };
    const auto has = [](const std::string& text, const char* part) {
      EXPECT_NE(text.find(part), text.npos) << "'" << text << "' without " << part;
    };
    const bool is_static = std::string(name) == "static",
               is_gliner = std::string(name).starts_with("gliner ") || std::string(name) == "gliner";
    EXPECT_EQ(load({.threads = 2}).threads(), 2u);
    EXPECT_EQ(load({.runtime = Runtime({.threads = 2})}).threads(), 2u);
    EXPECT_EQ(load({.gemm = GemmProvider::kPortable}).describe().gemm, "portable");
    if (is_static) {
      has(notices({.precision = Precision::kInt8}), "precision int8 has no effect");
      has(notices({.precision = Precision::kBFloat16}), "precision bfloat16 has no effect");
      has(refusal({.layers = 1}), "layers 1");
    } else {
      EXPECT_EQ(load({.precision = Precision::kInt8}).describe().precision, "int8");
      EXPECT_EQ(load({.precision = Precision::kBFloat16}).describe().precision, "bfloat16");
      EXPECT_GT(load({.packing = Packing::kAlways}).describe().packed_bytes, 0u);
      EXPECT_EQ(load({.packing = Packing::kNever}).describe().packed_bytes, 0u);
      has(notices({.packed_bytes = 1}), "packed they need");
      EXPECT_EQ(load({.layers = 1}).config().num_hidden_layers, 1u);
    }
    EXPECT_EQ(load({.tokenizer = {.special_tokens = false}}).tokenizer().tokenize("fox").ids.size(), 1u);
    has(refusal({.task = "nobody"}), "nobody");
    has(refusal({.adapter = "/no/adapter"}), "adapter (LoRA) '/no/adapter': not there");
    if (is_gliner) {
      has(notices({.encoder = "/no/encoder"}), "'/no/encoder' is not used");
      has(refusal({.max_words = 0}), "max_words: found 0");
      has(refusal({.max_width = 0}), "max_width: found 0");
    } else {
      has(refusal({.encoder = "/no/encoder"}), "encoder '/no/encoder' requested");
      has(refusal({.max_words = 9}), "max_words requested");
      has(refusal({.max_width = 9}), "max_width requested");
    }
    const Model copied = load({.copy_weights = true});
    EXPECT_EQ(mappings_of(directory.path()), 0u);
    add_unknown_tensor(directory, false);
    has(refusal({}), "a_tensor_that_nobody_knows");
    has(notices({.ignore_unexpected = true}), "a_tensor_that_nobody_knows");
    write(directory);
    add_unknown_tensor(directory, true);
    has(refusal({.check_tensors = true}), "nan at index 0");
  }
}

TEST(BuiltinForm, HasNoDirectory) {
  const ModelForm form = builtin_form({});
  EXPECT_EQ(form.directory, std::nullopt);
  EXPECT_TRUE(std::holds_alternative<Tokenizer>(read_tokenizer(form)));
}

}  // namespace
}  // namespace bert
