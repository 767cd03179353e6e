#include "tasks/analysis/principal_components.h"

#include <algorithm>

#include "tasks/analysis/eigen.h"

namespace bert::analysis {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr size_t kBlock = 1024;  // rows in float64 at once

// Calls use(first row, block) with the centred rows.
template <class Use>
void for_blocks(const Rows& rows, const std::vector<double>& mean, const Use& use) {
  const Eigen::Map<const Eigen::RowVectorXd> means(mean.data(), static_cast<Eigen::Index>(mean.size()));
  for (size_t first = 0; first < rows.count(); first += kBlock) {
    const size_t count = std::min(kBlock, rows.count() - first);
    const Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> view(
        rows.values.data() + first * rows.width, static_cast<Eigen::Index>(count),
        static_cast<Eigen::Index>(rows.width));
    const RowMajor block = view.cast<double>().rowwise() - means;
    use(first, block);
  }
}

}  // namespace

PrincipalComponents principal_components(const Rows& rows, size_t count) {
  const auto width = static_cast<Eigen::Index>(rows.width);
  PrincipalComponents result;
  result.mean.assign(rows.width, 0);
  Eigen::Map<Eigen::RowVectorXd> mean(result.mean.data(), width);
  Eigen::RowVectorXd sum = mean;
  for_blocks(rows, result.mean, [&](size_t, const RowMajor& block) { sum += block.colwise().sum(); });
  mean = sum / static_cast<double>(rows.count());

  Eigen::MatrixXd scatter = Eigen::MatrixXd::Zero(width, width);
  for_blocks(rows, result.mean, [&](size_t, const RowMajor& block) {
    scatter.selfadjointView<Eigen::Lower>().rankUpdate(block.transpose());
  });
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scatter);  // ascending
  const double total = solver.eigenvalues().cwiseMax(0).sum();
  double explained = 0;
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(count); ++i) {
    Eigen::VectorXd direction = solver.eigenvectors().col(width - 1 - i);
    Eigen::Index largest = 0;
    direction.cwiseAbs().maxCoeff(&largest);
    if (direction(largest) < 0) direction = -direction;
    result.directions.insert(result.directions.end(), direction.begin(), direction.end());
    explained += std::max(0.0, solver.eigenvalues()(width - 1 - i));
  }
  result.explained = total > 0 ? explained / total : 1;
  return result;
}

std::vector<float> project(const PrincipalComponents& components, const Rows& rows) {
  const auto width = static_cast<Eigen::Index>(rows.width);
  const Eigen::Index count = static_cast<Eigen::Index>(components.directions.size()) / width;
  const Eigen::Map<const RowMajor> directions(components.directions.data(), count, width);
  std::vector<float> coordinates(rows.count() * static_cast<size_t>(count));
  for_blocks(rows, components.mean, [&](size_t first, const RowMajor& block) {
    const RowMajor product = block * directions.transpose();
    std::transform(product.data(), product.data() + product.size(),
                   coordinates.begin() + static_cast<std::ptrdiff_t>(first * static_cast<size_t>(count)),
                   [](double value) { return static_cast<float>(value); });
  });
  return coordinates;
}

}  // namespace bert::analysis
