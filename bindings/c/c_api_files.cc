// The C interface's calls for the files of a model.
#include "bert/bert_files.h"
#include "bert/quantize.h"
#include "bindings/c/c_api.h"

using namespace bert;
using namespace bert::c_api;

bert_status bert_quantize(const char* name, const char* directory, int32_t weights, const bert_load_options* options) {
  return guard([&] {
    static constexpr SmallWeights kWeights[] = {SmallWeights::kInt8, SmallWeights::kInt8Tables, SmallWeights::kFloat16,
                                                SmallWeights::kBFloat16};
    const SmallWeights chosen = kWeights[index_of(weights, std::size(kWeights), "weights")];
    quantize(&need(name, "name"), &need(directory, "directory"), chosen, load_options(options));
  });
}

bert_status bert_model_digest(const char* name, const char* revision, char digest[65]) {
  return guard([&] {
    char* const to = &need(digest, "digest");
    const std::string found = model_digest(name == nullptr ? "" : name, revision == nullptr ? "main" : revision);
    std::memcpy(to, found.c_str(), found.size() + 1);
  });
}
