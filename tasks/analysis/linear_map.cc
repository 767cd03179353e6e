#include "tasks/analysis/linear_map.h"

#include <algorithm>
#include <utility>

#include "tasks/analysis/eigen.h"

namespace bert::analysis {
namespace {

// Singular values below this fraction of the largest are rounding errors: the tables are float32.
constexpr double kRankTolerance = 1e-6;

// Returns the rows minus their mean, which replaces the map's constant.
Eigen::MatrixXd centred(const Rows& rows) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor> view(rows.values.data(), static_cast<Eigen::Index>(rows.count()),
                                        static_cast<Eigen::Index>(rows.width));
  const Eigen::MatrixXd values = view.cast<double>();
  return values.rowwise() - values.colwise().mean();
}

struct LeftSingular {
  Eigen::MatrixXd vectors;
  Eigen::VectorXd values;  // largest first
};

// Returns Q and R's diagonal in Q · R = x · V for a tall x, where V are the eigenvectors of xᵀ · x. R is diagonal up to
// the rounding of xᵀ · x, at most 1e-16 of the largest square. The smallest penalty below is 1e-6 of it, so the errors
// below agree with BDCSVD's to 1e-10. BDCSVD takes a minute to compile.
LeftSingular tall_left_singular(const Eigen::MatrixXd& x) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> squares(x.transpose() * x);  // ascending
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(x * squares.eigenvectors().rowwise().reverse());
  Eigen::MatrixXd vectors = Eigen::MatrixXd::Identity(x.rows(), x.cols());
  vectors.applyOnTheLeft(qr.householderQ());
  return {std::move(vectors), qr.matrixQR().diagonal().cwiseAbs()};
}

LeftSingular left_singular(const Eigen::MatrixXd& x) {
  if (x.rows() >= x.cols()) return tall_left_singular(x);
  // x = Rᵀ · Qᵀ.
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(x.transpose());
  return tall_left_singular(
      Eigen::MatrixXd(qr.matrixQR().topRows(x.rows()).triangularView<Eigen::Upper>()).transpose());
}

// Ridge regression's fitted values are H · target with H = U · diag(s² / (s² + penalty)) · Uᵀ + 1 / rows. The
// leave-one-out error of a row is its residual / (1 - its diagonal element of H). Source: Golub, Heath, Wahba 1979.
double held_out_error(const Eigen::MatrixXd& u, const Eigen::VectorXd& singular, const Eigen::MatrixXd& target,
                      double penalty) {
  const Eigen::VectorXd squares = singular.array().square();
  const Eigen::VectorXd weights = squares.array() / (squares.array() + penalty);
  const Eigen::MatrixXd residual = target - u * (weights.asDiagonal() * (u.transpose() * target));
  const Eigen::VectorXd leverage =
      (u.array().square().matrix() * weights).array() + 1.0 / static_cast<double>(target.rows());
  return (residual.array().colwise() / (1.0 - leverage.array())).matrix().squaredNorm();
}

}  // namespace

LinearFit fit_linear_map(const Rows& source, const Rows& target) {
  const Eigen::MatrixXd x = centred(source);
  const Eigen::MatrixXd y = centred(target);
  const LeftSingular all = left_singular(x);
  const auto rank = static_cast<Eigen::Index>((all.values.array() > kRankTolerance * all.values(0)).count());
  const Eigen::MatrixXd u = all.vectors.leftCols(rank);
  const Eigen::VectorXd singular = all.values.head(rank);
  const double total = y.squaredNorm();

  LinearFit fit;
  fit.rank = static_cast<size_t>(rank);
  fit.unexplained = (y - u * (u.transpose() * y)).squaredNorm() / total;
  fit.by_chance = 1.0 - static_cast<double>(rank) / static_cast<double>(x.rows() - 1);
  // Starts with an infinite penalty, which predicts the mean of the other rows.
  const double rows = static_cast<double>(x.rows());
  fit.held_out = (rows / (rows - 1)) * (rows / (rows - 1));
  for (double penalty = 1e-6; penalty < 1e3; penalty *= 2) {
    const double error = held_out_error(u, singular, y, penalty * singular(0) * singular(0)) / total;
    fit.held_out = std::min(fit.held_out, error);
  }
  return fit;
}

}  // namespace bert::analysis
