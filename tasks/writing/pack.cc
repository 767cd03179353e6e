// Writes the file of packed weights beside a model's weights.
#include "bert/pack.h"

#include "bert/error.h"
#include "bert/memory.h"
#include "engine/base/quote.h"
#include "engine/base/thread_pool.h"
#include "engine/base/utf8_path.h"
#include "models/encoder/panel_file.h"
#include "models/model/model_impl.h"
#include "tasks/writing/model_directory.h"

namespace bert {
namespace fs = std::filesystem;

PackedFile pack(const std::string& name, const LoadOptions& options, const fs::path& folder) {
  const fs::path directory = find_model(name, options.revision);
  require_directory(directory);
  if (options.precision == Precision::kInt8) {
    throw Error(ErrorCode::kInvalidArgument,
                "precision int8 requested of packed weights, expected those of a model in 8 bits (see quantize)");
  }
  const LoadOptions how{.threads = options.threads,
                        .gemm = options.gemm,
                        .precision = options.precision,
                        .ignore_unexpected = options.ignore_unexpected,
                        .packing = Packing::kNever,
                        .revision = options.revision};
  const Model model = Model::load(name, how);
  const Model::Impl& impl = ModelAccess::impl(model);
  const EncoderPlan& plan = impl.encoder.plan;
  const Gemm& gemm = impl.backend.gemm();
  const std::string file = panel_file_name(plan, gemm);
  if (file.empty()) {
    throw Error(ErrorCode::kUnsupported,
                quote_path(utf8(directory)) + ": " +
                    (plan.layers.empty() ? "a model without layers"
                                         : "the products of this CPU read these weights as they are stored") +
                    ", expected weights that are packed");
  }
  const size_t bytes = packed_bytes(plan, gemm);
  if (const size_t free = available_memory(); bytes > free) {
    throw Error(ErrorCode::kOutOfMemory, "the packed weights of " + quote_path(utf8(directory)) + " need " +
                                             std::to_string(bytes) + " bytes of memory, found " + std::to_string(free));
  }
  const fs::path of_weights = path_of(impl.encoder.weights.checkpoint.files().front()).parent_path();
  const fs::path path = (folder.empty() ? of_weights : folder) / file;
  ThreadPool pool(model.threads());
  write_panels(path, impl.encoder.weights.checkpoint, plan, gemm, pool);
  model.check_files();
  return {.path = path, .bytes = static_cast<size_t>(fs::file_size(path))};
}

void check_packed_file(const Model& model) {
  const Model::Impl& impl = ModelAccess::impl(model);
  if (impl.panels() == nullptr) return;
  ThreadPool pool(model.threads());
  impl.panels()->check(impl.encoder.plan, impl.backend.gemm(), pool);
}

}  // namespace bert
