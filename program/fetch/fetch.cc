#include "program/fetch/fetch.h"

#include <set>

#include "bert/error.h"
#include "engine/base/file.h"
#include "engine/base/quote.h"
#include "program/fetch/file_choice.h"
#include "program/fetch/hub.h"
#include "program/fetch/model_folder.h"

namespace bert::fetch {
namespace {

// A sink that reports the bytes that it passes to another sink.
class ReportingSink : public FileSink {
 public:
  ReportingSink(FileSink& sink, const std::function<void(uint64_t)>& report) : sink_(sink), report_(report) {}

  uint64_t size() const override { return sink_.size(); }
  void restart() override { sink_.restart(); }
  void add(std::string_view bytes) override {
    sink_.add(bytes);
    report_(sink_.size());
  }

 private:
  FileSink& sink_;
  const std::function<void(uint64_t)>& report_;
};

class Fetch {
 public:
  Fetch(const HubSettings& settings, const FetchOptions& options, const FetchReports& reports)
      : settings_(settings),
        options_(options),
        reports_(reports),
        hub_(settings, {.tries = options.tries, .note = reports.note}) {}

  FetchedModel run(const std::string& name) {
    const std::string commit = commit_of(name);
    const std::vector<RemoteFile> all = hub_.files_of(model_.name, commit);
    ModelFolder folder(settings_.cache, model_.name, reports_.note);
    const auto read = [&](const RemoteFile& file) {
      if (file.bytes > Hub::kMostAnswerBytes) {
        throw Error(ErrorCode::kInvalidFile, quote(file.path) + " has " + std::to_string(file.bytes) +
                                                 " bytes, expected at most " + std::to_string(Hub::kMostAnswerBytes));
      }
      fill(folder, file);
      return read_text_file(folder.blob(file), Hub::kMostAnswerBytes);
    };
    const FileChoice choice = choose_files(model_.name, all, read);
    uint64_t missing = 0;
    for (const RemoteFile& file : choice.files) {
      total_ += file.bytes;
      verify(folder, file);
      if (!folder.has(file)) missing += file.bytes - folder.begun_bytes(file);
    }
    folder.require_room(missing);
    for (const RemoteFile& file : choice.files) {
      fill(folder, file);
      done_ += file.bytes;
    }
    model_.directory = folder.publish(commit, options_.revision, choice.files);
    for (const std::string& note : choice.notes) reports_.note(note);
    model_.files = choice.files.size();
    model_.bytes = total_;
    return model_;
  }

 private:
  // Returns the commit of the name as given, else of the name with the default organisation.
  std::string commit_of(const std::string& name) {
    model_.name = name;
    try {
      return model_.commit = hub_.commit_of(name, options_.revision);
    } catch (const Error& error) {
      if (name.find('/') != name.npos || error.code() != ErrorCode::kNotFound) throw;
      model_.name = "sentence-transformers/" + name;
      try {
        return model_.commit = hub_.commit_of(model_.name, options_.revision);
      } catch (const Error& other) {
        if (other.code() != ErrorCode::kNotFound) throw;
        throw Error(ErrorCode::kNotFound, std::string(error.what()) + "; nor is there " + quote(model_.name));
      }
    }
  }

  // Verifies each file that is there, once.
  void verify(ModelFolder& folder, const RemoteFile& file) {
    if (!options_.verify || !folder.has(file) || !verified_.insert(file.digest).second) return;
    if (folder.keep_if_intact(file)) ++model_.verified_files;
  }

  void fill(ModelFolder& folder, const RemoteFile& file) {
    verify(folder, file);
    if (folder.has(file)) return;
    const uint64_t begun = folder.begun_bytes(file);
    const std::function<void(uint64_t)> report = [&](uint64_t bytes) {
      // No reports for the small files that name the others.
      if (total_ > 0) reports_.progress({.file = file.path, .model_bytes = done_ + bytes, .model_size = total_});
    };
    folder.fill(file, [&](FileSink& sink) {
      ReportingSink reporting(sink, report);
      hub_.read(model_.name, model_.commit, file, reporting);
    });
    ++model_.fetched_files;
    model_.fetched_bytes += file.bytes - begun;
    verified_.insert(file.digest);
    reports_.fetched(file.path, file.bytes);
  }

  const HubSettings& settings_;
  const FetchOptions& options_;
  const FetchReports& reports_;
  Hub hub_;
  FetchedModel model_;
  uint64_t total_ = 0, done_ = 0;
  std::set<std::string> verified_;  // digests of checked files
};

}  // namespace

FetchedModel fetch_model(const std::string& name, const FetchOptions& options, const Environment& environment,
                         const FetchReports& reports) {
  if (!is_hub_model_name(name)) {
    throw Error(ErrorCode::kInvalidArgument,
                "model " + quote(name) + ", expected a model's name on the hub: NAME or ORGANISATION/NAME");
  }
  if (!is_hub_revision(options.revision)) {
    throw Error(ErrorCode::kInvalidArgument,
                "revision " + quote(options.revision) + ", expected the name of a branch or a tag, or a commit's hash");
  }
  const HubSettings settings = hub_settings(environment);
  if (settings.is_offline) {
    throw Error(ErrorCode::kUnsupported,
                "HF_HUB_OFFLINE is set: fetch opens no connection; unset it to fetch " + quote(name));
  }
  return Fetch(settings, options, reports).run(name);
}

}  // namespace bert::fetch
