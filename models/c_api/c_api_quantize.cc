// The C interface's call that writes a model with smaller weights.
#include "bert/bert_quantize.h"
#include "bert/quantize.h"
#include "models/c_api/c_api.h"

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
