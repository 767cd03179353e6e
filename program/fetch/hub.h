// The parts of the hub's API that fetching a model needs: the commit of a revision, the files of a commit, and the
// bytes of a file. The hub's answers are not trusted: names must stay inside the model's folder, and sizes and digests
// are checked. Used by one thread.
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
  std::string digest;  // SHA-256, 64 hexadecimal digits; or 40 digits, as git_blob_name returns

  bool has_sha256() const { return digest.size() == 64; }
};

// Receives the bytes of a file, starting at the requested byte, or at 0 if the hub answers with the whole file.
class FileSink {
 public:
  virtual ~FileSink() = default;
  virtual uint64_t size() const = 0;             // bytes received so far
  virtual void restart() = 0;                    // drops the received bytes
  virtual void add(std::string_view bytes) = 0;  // appends
};

class Hub {
 public:
  static constexpr size_t kMostAnswerBytes = 16u << 20, kMostPages = 100;
  static constexpr uint64_t kMostFileBytes = uint64_t{1} << 42;
  static constexpr uint64_t kLongestWaitSeconds = 60;

  struct Options {
    size_t tries = 5;  // limit of tries without progress per request
    std::function<void(const std::string& line)> note = [](const std::string&) {};
  };

  // Throws Error(kUnsupported) without libcurl.
  Hub(const HubSettings& settings, Options options);

  // Returns the commit, 40 hexadecimal digits, of a branch, a tag or a commit of the model. Throws Error: kNotFound if
  // there is no such model or revision, or if it needs a token; kIo if the hub does not answer; kInvalidFile for an
  // invalid answer.
  std::string commit_of(const std::string& model, const std::string& revision);

  // Returns all files of the commit; the list has at most kMostAnswerBytes on all of its pages. Throws Error as
  // commit_of does; kInvalidFile for a path that leads out of the model's folder.
  std::vector<RemoteFile> files_of(const std::string& model, const std::string& commit);

  // Appends all bytes of the file to the sink, in as many requests as needed. Throws Error as commit_of does;
  // kInvalidFile if the hub reports another size or digest for the file than in its list.
  void read(const std::string& model, const std::string& commit, const RemoteFile& file, FileSink& sink);

 private:
  // The bytes that a request asks for: from the first missing byte to the end, if the end is known.
  struct Extent {
    std::function<uint64_t()> reached = [] { return uint64_t{0}; };
    std::optional<uint64_t> end = {};
  };

  std::string answer(const std::string& model, const Url& url, HttpResponse* response = nullptr);
  HttpResponse request(const std::string& model, const Url& url, HttpBody& body, const Extent& extent);
  Url url_of(const std::string& path) const;
  // Waits before the next try; throws Error if no tries are left.
  void wait(const Url& url, const std::string& problem, const HttpResponse& response, size_t tried) const;

  HttpClient client_;
  Options options_;
};

}  // namespace bert::fetch
