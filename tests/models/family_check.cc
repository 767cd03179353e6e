#include "tests/models/family_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "engine/checkpoint/checkpoint.h"
#include "tests/support/compare.h"
#include "tests/support/environment.h"
#include "tests/support/isa.h"
#include "tests/support/share.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kEncoderOutputs[] = {"last_hidden_state", "pooler_output", "hidden_states", "attentions"};

bool is_encoder_output(const std::string& name) {
  return std::find(std::begin(kEncoderOutputs), std::end(kEncoderOutputs), name) != std::end(kEncoderOutputs);
}

bool has_row_a_token(Head head) {
  return head == Head::kMaskedLm || head == Head::kTokenClassification || head == Head::kQuestionAnswering ||
         head == Head::kReplacedTokens;
}

// Calls `run` for each case's sequence, and once for all sequences of a padded batch. Returns the results in order.
template <class Result, class Run>
std::vector<Result> run_all(const std::vector<FamilyCase>& cases, const Run& run) {
  std::vector<Result> results;
  for (size_t begin = 0; begin < cases.size();) {
    size_t end = begin + 1;
    while (cases[begin].batch >= 0 && end < cases.size() && cases[end].batch == cases[begin].batch) ++end;
    std::vector<TokenSequence> batch;
    for (size_t i = begin; i < end; ++i) batch.push_back(cases[i].sequence());
    for (Result& result : run(batch)) results.push_back(std::move(result));
    begin = end;
  }
  return results;
}

}  // namespace

FamilyModel::FamilyModel(const fs::path& folder)
    : folder_(folder), json_(Json::parse(read_file(folder / "golden.json"))) {
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
    if (file.path().extension() != ".npy") fs::copy_file(file.path(), directory_.path() / file.path().filename());
  }
  const Json config = Json::parse(read_file(folder / "config.json"));
  directory_.write("tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer"})");
  directory_.write("vocab.txt", tiny_vocabulary(config["vocab_size"]));
  for (const Json& json : json_["cases"]) {
    FamilyCase c;
    c.id = json["id"];
    if (json["batch"].is_number()) c.batch = json["batch"];
    c.ids = json["input_ids"].get<std::vector<int32_t>>();
    if (!json["token_type_ids"].is_null()) c.type_ids = json["token_type_ids"].get<std::vector<int32_t>>();
    c.mask = json["attention_mask"].get<std::vector<uint8_t>>();
    c.row_offset = json["row_offset"];
    c.rows = json["rows"];
    c.index = cases_.size();
    cases_.push_back(std::move(c));
  }
}

Model FamilyModel::load(LoadOptions options) const {
  if (json_.contains("task") && json_["task"].is_string()) options.task = json_["task"];
  return Model::load(directory_.path().string(), options);
}

NpyArray FamilyModel::array(const std::string& output) const {
  return read_npy(folder_ / outputs()[output]["file"].get<std::string>());
}

double FamilyModel::limit(const std::string& output) const {
  const auto error_of = [&](const std::string& name) {
    double largest = 0;
    for (const Json& error : outputs()[name]["float32_error"]) {
      if (error.is_number()) largest = std::max(largest, error.get<double>());
    }
    return largest;
  };
  const std::string model_class = json_["model_class"];
  if (model_class.find("For") == std::string::npos) return 2 * error_of(output);
  double largest = error_of(output);
  for (const char* name : kEncoderOutputs) {
    if (outputs().contains(name)) largest = std::max(largest, error_of(name));
  }
  return 2 * largest;
}

std::vector<HeadOutput> head_outputs(const FamilyModel& family, const Model& model) {
  std::vector<HeadOutput> found;
  for (const auto& [name, output] : family.outputs().items()) {
    if (is_encoder_output(name)) continue;
    if (name == "prediction_logits") {
      found.push_back({name, Head::kMaskedLm});
    } else if (name == "seq_relationship_logits") {
      found.push_back({name, Head::kNextSentence});
    } else if (name == "start_logits" || name == "end_logits") {
      found.push_back({name, Head::kQuestionAnswering});
    } else {
      EXPECT_EQ(model.heads().size(), 1u) << "of " << name;
      if (!model.heads().empty()) found.push_back({name, model.heads()[0]});
    }
  }
  return found;
}

std::string family_folder(const std::string& name) {
  const std::string modern = "family_modern/" + name;
  return !find_test_data(modern).empty() ? modern : "family/" + name;
}

std::set<std::string>& family_folders() {
  static std::set<std::string> folders;
  return folders;
}

bool add_family_folders(std::initializer_list<const char*> names) {
  family_folders().insert(names.begin(), names.end());
  return true;
}

std::vector<EncodedSequence> encode_all(const Model& model, const std::vector<FamilyCase>& cases) {
  return run_all<EncodedSequence>(cases, [&](const std::vector<TokenSequence>& batch) {
    return model.encode(batch, {.hidden_states = true, .attentions = true});
  });
}

std::vector<Logits> logits_all(const Model& model, Head head, const std::vector<FamilyCase>& cases) {
  return run_all<Logits>(cases, [&](const std::vector<TokenSequence>& batch) { return model.logits(head, batch); });
}

void check_outputs(const fs::path& folder, const LoadOptions& options) {
  const FamilyModel family(folder);
  const Model model = family.load(options);
  const std::vector<EncodedSequence> results = encode_all(model, family.cases());
  double worst = 0;
  const auto compare = [&](const std::string& output, const FamilyCase& c, const auto& got, const auto& expected) {
    EXPECT_TRUE(within(family.limit(output), got, expected)) << output << " of " << c.id;
    if (got.size() == expected.size()) worst = std::max(worst, worst_of(got, expected).error / family.limit(output));
  };
  const auto case_of = [&](const Json& id) {
    return *std::find_if(family.cases().begin(), family.cases().end(), [&](const FamilyCase& c) { return id == c.id; });
  };
  const NpyArray last = family.array("last_hidden_state");
  for (const FamilyCase& c : family.cases()) {
    compare("last_hidden_state", c, results[c.index].last_hidden_state, last.rows(c.row_offset, c.rows));
  }
  if (family.outputs().contains("pooler_output")) {
    const NpyArray pooler = family.array("pooler_output");
    for (const FamilyCase& c : family.cases()) {
      compare("pooler_output", c, results[c.index].pooler_output, pooler.rows(c.index, 1));
    }
  }
  if (family.outputs().contains("hidden_states")) {
    const NpyArray states = family.array("hidden_states");
    for (const Json& entry : family.outputs()["hidden_states"]["cases"]) {
      const FamilyCase c = case_of(entry["id"]);
      const size_t rows = entry["states"].get<size_t>() * entry["rows"].get<size_t>();
      compare("hidden_states", c, results[c.index].hidden_states, states.rows(entry["row_offset"], rows));
    }
  }
  if (family.outputs().contains("attentions")) {
    const NpyArray attentions = family.array("attentions");
    for (const Json& entry : family.outputs()["attentions"]["cases"]) {
      const FamilyCase c = case_of(entry["id"]);
      size_t size = 1;
      for (const Json& dimension : entry["shape"]) size *= dimension.get<size_t>();
      compare("attentions", c, results[c.index].attentions, attentions.rows(entry["offset"], size));
    }
  }
  for (const HeadOutput& output : head_outputs(family, model)) {
    const NpyArray expected = family.array(output.name);
    const std::vector<Logits> all = logits_all(model, output.head, family.cases());
    for (const FamilyCase& c : family.cases()) {
      std::vector<float> got = all[c.index].values;
      if (output.name == "start_logits" || output.name == "end_logits") {
        std::vector<float> column;
        for (size_t i = output.name == "start_logits" ? 0 : 1; i < got.size(); i += 2) column.push_back(got[i]);
        got = column;
      }
      // The values of multiple choice, [questions, choices], are one per case, in the cases' order.
      if (output.head == Head::kMultipleChoice) {
        compare(output.name, c, got, std::span(expected.values).subspan(c.index, 1));
      } else if (has_row_a_token(output.head)) {
        compare(output.name, c, got, expected.rows(c.row_offset, c.rows));
      } else {
        compare(output.name, c, got, expected.rows(c.index, 1));
      }
    }
  }
  std::printf("%s: at most %.2f of the limit\n", folder.filename().string().c_str(), worst);
}

void check_same_bits(const fs::path& folder) {
  const FamilyModel family(folder);
  const auto with_isa = [&](const char* isa, const LoadOptions& options) {
    const WithVariable variable("BERT_INFER_ISA", isa);
    return family.load(options);
  };
  const Model plain = with_isa("portable", {.threads = 1, .gemm = GemmProvider::kPortable});
  const std::vector<EncodedSequence> expected = encode_all(plain, family.cases());
  std::map<Head, std::vector<Logits>> expected_logits;
  for (const Head head : plain.heads()) expected_logits[head] = logits_all(plain, head, family.cases());
  const Share alone(3);
  const auto same = [&](const FamilyCase& c, const EncodedSequence& got) {
    EXPECT_TRUE(same_bits(got.hidden_states, expected[c.index].hidden_states)) << c.id;
    EXPECT_TRUE(same_bits(got.attentions, expected[c.index].attentions)) << c.id;
    EXPECT_TRUE(same_bits(got.pooler_output, expected[c.index].pooler_output)) << c.id;
  };
  for (const char* isa : kKernelIsas) {
    if (!cpu_has(isa)) {
      std::printf("not run, the CPU lacks it: %s\n", isa);
      continue;
    }
    SCOPED_TRACE(isa);
    const Model model = with_isa(isa, {.threads = 3, .gemm = GemmProvider::kNative});
    std::vector<TokenSequence> batch;
    for (const FamilyCase& c : family.cases()) {
      batch.push_back(c.sequence());
      if (!alone.has(c.index)) continue;
      same(c, model.encode({&batch.back(), 1}, {.hidden_states = true, .attentions = true})[0]);
    }
    const auto together = model.encode(batch, {.hidden_states = true, .attentions = true});
    for (const FamilyCase& c : family.cases()) same(c, together[c.index]);
    // With packed weights, a pass of many rows goes through each layer in blocks.
    const Model packed = with_isa(isa, {.threads = 1, .gemm = GemmProvider::kNative, .packing = Packing::kAlways});
    packed.encode(batch);
    std::vector<TokenSequence> many;
    for (size_t rows = 0; rows < 600;) {
      for (const TokenSequence& sequence : batch) {
        many.push_back(sequence);
        rows += sequence.ids.size();
      }
    }
    const std::vector<EncodedSequence> in_blocks = packed.encode(many);
    for (size_t i = 0; i < many.size(); ++i) {
      const FamilyCase& c = family.cases()[i % batch.size()];
      EXPECT_TRUE(same_bits(in_blocks[i].last_hidden_state, expected[c.index].last_hidden_state)) << c.id;
    }
    for (const Head head : model.heads()) {
      const std::vector<Logits>& one = expected_logits.at(head);
      const std::vector<Logits> all = model.logits(head, batch);
      for (const FamilyCase& c : family.cases()) {
        EXPECT_TRUE(same_bits(all[c.index].values, one[c.index].values)) << c.id << ", " << name(head);
      }
    }
  }
}

FamilyFiles FamilyFiles::read(const fs::path& folder) {
  FamilyFiles files{{}, Json::parse(read_file(folder / "config.json"))};
  const Checkpoint checkpoint = Checkpoint::open(folder);
  for (const StoredTensor& tensor : checkpoint.tensors()) {
    files.tensors.push_back({std::string(tensor.name),
                             "F32",
                             {tensor.shape.begin(), tensor.shape.end()},
                             {reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size()}});
  }
  return files;
}

void FamilyFiles::write(const TemporaryDirectory& directory) const {
  directory.write("config.json", config.dump());
  directory.write("model.safetensors", image_of(tensors));
}

void FamilyFiles::rename(const std::string& from, const std::string& to) {
  for (TestTensor& tensor : tensors) {
    if (const size_t at = tensor.name.find(from); at != std::string::npos) tensor.name.replace(at, from.size(), to);
  }
}

void FamilyFiles::split(const std::string& from, const std::vector<std::string>& parts) {
  std::vector<TestTensor> all;
  for (const TestTensor& tensor : tensors) {
    const size_t at = tensor.name.find(from);
    if (at == std::string::npos) {
      all.push_back(tensor);
      continue;
    }
    const size_t bytes = tensor.data.size() / parts.size();
    for (size_t i = 0; i < parts.size(); ++i) {
      TestTensor part = tensor;
      part.name.replace(at, from.size(), parts[i]);
      part.shape[0] /= parts.size();
      part.data = tensor.data.substr(i * bytes, bytes);
      all.push_back(part);
    }
  }
  tensors = all;
}

void check_same_model(const fs::path& folder, const std::function<void(FamilyFiles&)>& edit) {
  FamilyFiles files = FamilyFiles::read(folder);
  edit(files);
  const TemporaryDirectory edited;
  files.write(edited);
  edited.write("golden.json", read_file(folder / "golden.json"));
  const FamilyModel family(folder);
  const std::vector<EncodedSequence> expected = encode_all(family.load(), family.cases());
  const std::vector<EncodedSequence> got = encode_all(FamilyModel(edited.path()).load(), family.cases());
  for (const FamilyCase& c : family.cases()) {
    EXPECT_TRUE(same_bits(got[c.index].hidden_states, expected[c.index].hidden_states)) << c.id;
  }
}

}  // namespace bert::test
