#include "program/cli/command_line/licenses.h"

#include <string_view>

namespace bert::cli {
namespace {

struct License {
  std::string_view of;
  std::string_view text;
};

constexpr License kLicenses[] = {
#include "licenses.inc"
};

}  // namespace

std::string licenses_text() {
  std::string all;
  for (const License& license : kLicenses) {
    if (!all.empty()) all += '\n';
    all.append("===== ").append(license.of).append(" =====\n\n").append(license.text);
    if (!license.text.ends_with('\n')) all += '\n';
  }
  return all;
}

}  // namespace bert::cli
