#include "models/sentence/router.h"

#include <gtest/gtest.h>

#include "tests/models/tiny_model_test.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

using test::error_of;

// Returns a Router's configuration as sentence-transformers 6.2 writes it into the Router's folder.
std::string router_config(const std::string& parameters) {
  return R"({"types": {"query_0_Dense": "sentence_transformers.base.modules.dense.Dense",
                       "document_0_Dense": "sentence_transformers.models.Dense"},
             "structure": {"query": ["query_0_Dense"], "document": ["document_0_Dense"], "none": []},
             "parameters": )" +
         parameters + "}";
}

const std::vector<NamedModule> kModules = {{0, "sentence_transformers.base.modules.transformer.Transformer", "", ""},
                                           {1, "sentence_transformers.base.modules.router.Router", "1_Router", ""},
                                           {2, "sentence_transformers.models.Normalize", "2_Normalize", ""}};

std::vector<NamedModule> follow(const std::string& parameters, const std::optional<std::string>& task = {},
                                std::vector<std::string>* notices = nullptr) {
  const std::string text = router_config(parameters);
  return follow_routes(kModules, MemorySource({{"1_Router/router_config.json", text}}, "DIR"), task, notices);
}

// Returns the route of the single module that replaces the Router.
std::string route(const std::string& parameters, const std::optional<std::string>& task = {}) {
  const std::vector<NamedModule> modules = follow(parameters, task);
  EXPECT_EQ(modules.size(), 3u);
  return modules[1].route;
}

TEST(Router, IsReplacedByTheModulesOfTheRoute) {
  std::vector<std::string> notices;
  const std::vector<NamedModule> modules = follow("{}", "document", &notices);
  ASSERT_EQ(modules.size(), 3u);
  EXPECT_EQ(modules[0].type, kModules[0].type);
  EXPECT_EQ(modules[1].type, "sentence_transformers.models.Dense");
  EXPECT_EQ(modules[1].directory, "1_Router/document_0_Dense");
  EXPECT_EQ(modules[2].directory, "2_Normalize");
  EXPECT_TRUE(notices.empty());
  EXPECT_EQ(follow("{}", "none").size(), 2u);
}

// The expected routes are those of the reference's Router.
TEST(Router, ChoosesByMappingsThenByTheTasksNameThenByDefault) {
  EXPECT_EQ(route("{}"), "query");
  EXPECT_EQ(route("{}", "document"), "document");
  EXPECT_EQ(route(R"({"default_route": "document"})"), "document");
  EXPECT_EQ(route(R"({"default_route": null, "allow_empty_key": true})"), "query");
  const std::string mapped = R"x({"route_mappings": {"('query', 'text')": "document", "(None, \"text\")": "query"}})x";
  EXPECT_EQ(route(mapped, "query"), "document");
  EXPECT_EQ(route(mapped, "document"), "query");
  EXPECT_EQ(route(mapped, "anything"), "query");
  EXPECT_EQ(route(mapped), "query");
  EXPECT_EQ(route(R"x({"route_mappings": {"(None,None)": "document", "(None, 'image')": "query"}})x"), "document");
}

TEST(Router, TellsWhichRouteIsUsedByDefault) {
  std::vector<std::string> notices;
  follow(R"({"default_route": "document"})", {}, &notices);
  EXPECT_EQ(notices, std::vector<std::string>{"'DIR/1_Router/router_config.json': the route 'document' is used, of "
                                              "'query', 'document', 'none'; a task chooses another"});
}

TEST(Router, RefusesATaskWithoutARoute) {
  EXPECT_EQ(error_of(ErrorCode::kInvalidArgument, [] { follow("{}", "passage"); }),
            "no route for task 'passage' in 'DIR/1_Router/router_config.json', expected 'query', 'document', 'none'");
  EXPECT_EQ(error_of(ErrorCode::kInvalidArgument, [] { follow(R"({"allow_empty_key": false})"); }),
            "'DIR/1_Router/router_config.json' has no default route, expected a task: 'query', 'document', 'none'");
}

TEST(Router, RefusesMalformedFiles) {
  EXPECT_NE(error_of(ErrorCode::kInvalidFile, [] { follow(R"({"default_route": "x"})"); })
                .find("default_route: found \"x\", expected one of 'query', 'document', 'none'"),
            std::string::npos);
  EXPECT_NE(error_of(ErrorCode::kInvalidFile, [] { follow(R"x({"route_mappings": {"(None, None)": "x"}})x"); })
                .find("expected one of"),
            std::string::npos);
  const auto error_in = [](const std::string& text) {
    return error_of(ErrorCode::kInvalidFile, [&] {
      follow_routes(kModules, MemorySource({{"1_Router/router_config.json", text}}, "DIR"), {}, nullptr);
    });
  };
  std::string error = error_in(R"({"types": {}, "structure": {"a": ["x"]}})");
  EXPECT_NE(error.find("parameters: missing"), std::string::npos) << error;
  error = error_in(R"({"types": {}, "structure": {"a": ["x"]}, "parameters": {}})");
  EXPECT_NE(error.find("types.x: missing"), std::string::npos) << error;
  error = error_in(R"({"types": {}, "structure": {"a": ["../x"]}, "parameters": {}})");
  EXPECT_NE(error.find("expected plain names of directories"), std::string::npos) << error;
  error = error_of(ErrorCode::kNotFound, [] { follow_routes(kModules, MemorySource({}, "DIR"), {}, nullptr); });
  EXPECT_NE(error.find("1_Router/router_config.json': no such file"), std::string::npos) << error;
}

class RoutedModelTest : public test::TinyModelTest {};

// The tasks have encoders of different widths.
TEST_F(RoutedModelTest, IsTheModelOfItsTask) {
  const auto folder = [&](const char* name, const test::TinyModel& model) {
    const test::TemporaryDirectory made;
    test::write_tiny_model(made, model);
    std::filesystem::copy(made.path(), directory_.path() / name);
    return Model::load(made.path().string()).embed("the fox", {.normalize = true});
  };
  const std::vector<float> query = folder("query_0_Transformer", {});
  const std::vector<float> document = folder("document_0_Transformer", {.hidden = 36});
  directory_.write("modules.json", R"([{"type": "sentence_transformers.base.modules.router.Router", "path": ""},
    {"type": "sentence_transformers.models.Normalize", "path": "1_Normalize"}])");
  directory_.write("router_config.json", R"({
    "types": {"query_0_Transformer": "sentence_transformers.models.Transformer",
              "document_0_Transformer": "sentence_transformers.models.Transformer",
              "pool": "sentence_transformers.models.Pooling", "bow": "sentence_transformers.models.BoW"},
    "structure": {"query": ["query_0_Transformer", "pool"], "document": ["document_0_Transformer", "pool"],
                  "bow": ["bow"]},
    "parameters": {"default_route": "document"}})");
  std::filesystem::create_directory(directory_.path() / "pool");
  directory_.write("pool/config.json", "{}");
  const auto load = [&](const std::optional<std::string>& task) {
    return Model::load(directory_.path().string(), {.threads = 1, .task = task});
  };
  EXPECT_EQ(load("query").embed("the fox"), query);
  EXPECT_EQ(load("document").embed("the fox"), document);
  EXPECT_EQ(load({}).embed("the fox"), document);
  EXPECT_EQ(load_tokenizer(directory_.path().string(), {.task = "query"}).tokenizer.tokenize("fox").ids.size(), 3u);
  EXPECT_NE(test::refusal(ErrorCode::kUnsupported, [&] { load("bow"); })
                .find("module 0, route 'bow', of type 'sentence_transformers.models.BoW'"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
