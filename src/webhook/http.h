// SPDX-License-Identifier: Apache-2.0

// HTTP over libevent, with OpenSSL's TLS (1.2 or newer): one thread, one loop, servers and clients.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace trainjobc::webhook {

struct HttpRequest {
  bool is_post = false;
  std::string path;  // without the query
  std::string body;
};

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

// Sends the answer. Calls do nothing after the first one, or after the connection was closed.
using Reply = std::function<void(HttpResponse)>;
// May keep the reply and call it later.
using Handler = std::function<void(const HttpRequest& request, Reply reply)>;

struct Address {
  std::string host;  // "" for all addresses of this machine
  uint16_t port = 0;
};

// Reads ":9443", "127.0.0.1:9443" or "[::1]:9443".
std::optional<Address> parse_address(std::string_view text);

struct TlsFiles {
  std::string certificate;  // PEM, with its chain
  std::string key;
};

struct ServerLimits {
  size_t body = 0;           // bytes
  size_t headers = 8 << 10;  // bytes
  // The limit for TLS connections. A new one replaces one that waits for a request; if there is none, it has
  // to wait.
  size_t connections = 500;
  std::chrono::seconds idle{30};  // for a handshake, for a request, and between requests
};

struct ClientRequest {
  std::string url;                            // https://10.0.0.1:443/apis/…
  std::string token;                          // "" for none
  std::string authority;                      // the file of trusted certificates, for https
  std::chrono::milliseconds timeout{10'000};  // for everything up to the end of the answer
  size_t body = size_t{64} << 20U;            // bytes of the whole answer
};

// Receives the parts of an answer as they arrive.
struct ClientEvents {
  std::function<void(int status)> begin;
  std::function<void(const std::string& part)> part;
  // Called after the last part, or, with the reason, if there is no complete answer.
  std::function<void(const std::string& error)> end;
};

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Returns the error, or "". Without `tls`, serves plain HTTP.
  std::string listen(const Address& address, const std::optional<TlsFiles>& tls, const ServerLimits& limits,
                     Handler handler);
  // Reads the certificates of all servers again, for new connections. Returns the error, or ""; after an
  // error, the old ones stay in use.
  std::string reload_certificates();
  // The ports on which it listens, in the order of the calls.
  std::vector<uint16_t> ports() const;
  // Makes each connection end with its next answer, so that clients which keep it open connect again, to
  // another server.
  void close_connections();
  // Stops accepting connections.
  void close_listeners();
  // The number of requests that are not answered yet.
  size_t open_requests() const;

  void get(const ClientRequest& request, ClientEvents events);
  void after(std::chrono::milliseconds delay, std::function<void()> action);
  // Called on SIGTERM and SIGINT.
  void on_stop_signal(std::function<void()> action);

  // Returns after stop().
  void run();
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trainjobc::webhook
