// Writes a program's file with a model at its end.
#include "bert/bundle.h"

#include <algorithm>

#include "bert/error.h"
#include "bert/new_file.h"
#include "bert/quantize.h"
#include "engine/base/bundle.h"
#include "engine/base/file.h"
#include "engine/base/hash/xxh64.h"
#include "engine/base/mapped_file.h"
#include "engine/base/program_file.h"
#include "engine/base/utf8_path.h"
#include "models/model/model_impl.h"
#include "models/text/text_settings.h"
#include "tasks/writing/model_directory.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

// Returns the last part of a path, or of a model's name in the hub.
std::string last_name(fs::path path) {
  path = path.lexically_normal();
  return utf8((path.has_filename() ? path : path.parent_path()).filename());
}

}  // namespace

WrittenBundle write_bundle(const std::string& name, const fs::path& out, const LoadOptions& options,
                           const fs::path& program) {
  const fs::path source = find_model(name, options.revision);
  const fs::path carrier = program.empty() ? own_program() : program;
  Bundle bundle{.name = last_name(source == path_of(name) ? fs::absolute(source) : path_of(name)),
                .files = {},
                .program_bytes = program_bytes(carrier)};
  const Model model = Model::load(name, options);
  ModelAccess::impl(model).require_no_adapter();
  const ModelDescription description = model.describe();
  std::vector<std::string> weights = description.files;
  if (!description.panel_file.empty()) weights.push_back(description.panel_file);
  const ModelFiles files = find_files(source, encoder_directory(source), weights);

  const MappedFile code = MappedFile::open(carrier);
  NewFile written(out, NewFile::Existing::kRefuse, fs::status(carrier).permissions());
  written.write(code.bytes().first(bundle.program_bytes));
  for (const fs::path& file : files.all) {
    const bool has_weights = std::find(weights.begin(), weights.end(), source / file) != weights.end();
    const MappedFile mapped =
        MappedFile::open(has_weights ? source / file : resolve_confined(source, file, utf8(source)));
    written.write(std::string(bundled_offset(written.bytes()) - written.bytes(), '\0'));
    bundle.files.push_back({.name = generic_utf8(file),
                            .offset = written.bytes(),
                            .bytes = mapped.bytes().size(),
                            .digest = xxh64(mapped.bytes())});
    written.write(mapped.bytes());
    mapped.check_is_unchanged();
  }
  code.check_is_unchanged();
  written.write(bundle_end(bundle, written.bytes()));
  written.publish();
  return {.program_bytes = bundle.program_bytes,
          .bytes = written.bytes(),
          .files = bundle.files.size(),
          .not_copied = files.not_copied};
}

std::optional<std::string> bundled_model() {
  std::optional<fs::path> program = own_bundle();
  if (!program) return std::nullopt;
  return utf8(*program);
}

std::optional<BundleInfo> bundle_info(const std::string& path) {
  const std::optional<BundlePath> found = find_bundle(path_of(path));
  if (!found) return std::nullopt;
  BundleInfo info{.name = found->bundle.name, .files = found->bundle.files.size()};
  for (const BundledFile& file : found->bundle.files) info.bytes += file.bytes;
  return info;
}

}  // namespace bert
