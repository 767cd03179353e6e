// The hub's API as far as fetching a model needs it: the commit of a revision, the files of a commit, and the bytes of
// a file. What it answers is not trusted: names stay inside the model's folder, sizes and digests are checked. Used by
// one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/fetch/http_client.h"
#include "program/fetch/hub_settings.h"

namespace bert::fetch {

struct RemoteFile {
  std::string path;  // "1_Pooling/config.json"
  uint64_t bytes = 0;
  std::string digest;  // 64 hexadecimal digits, SHA-256; or 40, as git_blob_name has it

  bool has_sha256() const { return digest.size() == 64; }
};

// Receives the bytes of a file, from the one that was asked for, or from 0 if the hub answers with the whole file.
class FileSink {
 public:
  virtual ~FileSink() = default;
  virtual uint64_t size() const = 0;             // the bytes that are there
  virtual void restart() = 0;                    // drops them
  virtual void add(std::string_view bytes) = 0;  // after them
};

class Hub {
 public:
  static constexpr size_t kMostAnswerBytes = 16u << 20, kMostPages = 100;
  static constexpr uint64_t kMostFileBytes = uint64_t{1} << 42;
  static constexpr uint64_t kLongestWaitSeconds = 60;

  struct Options {
    size_t tries = 5;  // of a request, those without any progress
    std::function<void(const std::string& line)> note = [](const std::string&) {};
  };

  // Throws Error(kUnsupported) without libcurl.
  Hub(const HubSettings& settings, Options options);

  // The commit, 40 hexadecimal digits, that a branch, a tag or a commit of the model is. Throws Error: kNotFound for no
  // such model or revision, or one that needs a token; kIo where the hub does not answer; kInvalidFile for an answer
  // that is none.
  std::string commit_of(const std::string& model, const std::string& revision);

  // All files of the commit, whose list has at most kMostAnswerBytes on all of its pages. Throws Error as commit_of;
  // kInvalidFile for a path that leads out of the model's folder.
  std::vector<RemoteFile> files_of(const std::string& model, const std::string& commit);

  // Appends to the sink until it has all bytes of the file, in as many requests as it takes. Throws Error as commit_of;
  // kInvalidFile if the hub has another size or digest for the file than its list.
  void read(const std::string& model, const std::string& commit, const RemoteFile& file, FileSink& sink);

 private:
  // Which bytes a request asks for: from the first that is not there yet to the end, where that is known.
  struct Extent {
    std::function<uint64_t()> reached = [] { return uint64_t{0}; };
    std::optional<uint64_t> end = {};
  };

  std::string answer(const std::string& model, const Url& url, HttpResponse* response = nullptr);
  HttpResponse request(const std::string& model, const Url& url, HttpBody& body, const Extent& extent);
  Url url_of(const std::string& path) const;
  // Waits before the next try; throws Error if there is none.
  void wait(const Url& url, const std::string& problem, const HttpResponse& response, size_t tried) const;

  HttpClient client_;
  Options options_;
};

}  // namespace bert::fetch
