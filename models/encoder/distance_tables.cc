#include "models/encoder/distance_tables.h"

#include "models/encoder/backend.h"
#include "models/encoder/plan.h"

namespace bert {

void compute_distance_tables(EncoderPlan& plan, Backend& backend) {
  if (!plan.distance_source) return;
  const DistanceSource& source = *plan.distance_source;
  Backend::Lease lease(backend, {.tokens = source.rows.rows,
                                 .longest = 1,
                                 .hidden = source.rows.cols,
                                 .wide = source.rows.cols,
                                 .head_dim = plan.layers.front().attention.head_dim,
                                 .threads = backend.threads(),
                                 .prepared_inputs = prepared_inputs(plan)});
  ExecutionContext& context = lease.context();
  const MatrixView rows = context.workspace.hidden();
  copy_table(source.rows, rows, context);
  if (source.norm) source.norm->forward(rows, rows, context);
  const auto project = [&](const std::optional<Linear>& projection) -> const float* {
    if (!projection) return nullptr;
    Matrix& table = plan.distance_tables.emplace_back(rows.rows, projection->outs());
    projection->forward(rows, table.view(), context);
    return table.view().data;
  };
  for (size_t i = 0; i < plan.layers.size(); ++i) {
    SelfAttention& attention = plan.layers[i].attention;
    RelativePositions::Vectors vectors{};
    vectors.query_table = project(source.layers[i].for_queries);
    vectors.key_table = project(source.layers[i].for_keys);
    vectors.stride = attention.heads * attention.head_dim;
    vectors.head_offset = attention.head_dim;
    vectors.distance_rows = plan.distance_rows.rows;
    vectors.first_distance = plan.distance_rows.first;
    vectors.scaled = true;
    attention.relative.emplace(vectors);
  }
}

}  // namespace bert
