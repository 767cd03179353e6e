// A service without sockets, which takes a request and returns its answer.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "program/server/service.h"

namespace bert::test {

class TestExchange : public server::HttpExchange {
 public:
  explicit TestExchange(server::HttpRequest request) : request_(std::move(request)) {}

  const server::HttpRequest& request() const override { return request_; }
  void respond(server::HttpResponse response) noexcept override { answer_.set_value(std::move(response)); }
  void drop() noexcept override { answer_.set_value({.status = 0}); }
  void on_abandoned(std::function<void()> abandoned) override { abandoned_ = std::move(abandoned); }

  void abandon() const { abandoned_(); }
  std::future<server::HttpResponse> answer() { return answer_.get_future(); }

 private:
  server::HttpRequest request_;
  std::promise<server::HttpResponse> answer_;
  std::function<void()> abandoned_;
};

inline std::string field_of(const server::HttpResponse& response, const std::string& name) {
  for (const auto& [known, value] : response.fields) {
    if (known == name) return value;
  }
  return "";
}

class TestService {
 public:
  explicit TestService(std::vector<server::NamedDirectory> models = {{"built-in", ""}},
                       const server::ServiceOptions& options = {}, const std::string& key = "")
      : models_(std::move(models), {}), keys_("", key), service_(models_, keys_, options) {
    models_.load();
    models_.find_digests();
  }

  server::HttpResponse ask(server::HttpRequest request) {
    if (auto refusal = service_.refuse(request)) return *refusal;
    const auto exchange = std::make_shared<TestExchange>(std::move(request));
    std::future<server::HttpResponse> answer = exchange->answer();
    service_.handle(exchange);
    service_.caught_up();
    if (answer.wait_for(std::chrono::seconds(60)) != std::future_status::ready) return {.status = 0};
    return answer.get();
  }
  server::HttpResponse get(const std::string& path) { return ask({.method = "GET", .path = path}); }
  server::HttpResponse post(const std::string& path, const std::string& body, server::HttpFields fields = {}) {
    return ask({.method = "POST", .path = path, .fields = std::move(fields), .body = body});
  }
  // Returns the answer's JSON, or null if the status is not 200.
  nlohmann::json json(const std::string& path, const nlohmann::json& body) {
    const server::HttpResponse response = post(path, body.dump());
    return response.status == 200 ? nlohmann::json::parse(response.body) : nlohmann::json();
  }

  server::Service& service() { return service_; }
  const Model& model(const std::string& name = "built-in") const { return models_.find(name)->model; }

 private:
  server::ModelSet models_;
  server::ApiKeys keys_;
  server::Service service_;
};

}  // namespace bert::test
