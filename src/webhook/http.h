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

// Sends the answer; calls after the first one, and after the connection was closed, do nothing.
using Reply = std::function<void(HttpResponse)>;
// May keep the reply for later.
using Handler = std::function<void(const HttpRequest& request, Reply reply)>;

struct Address {
  std::string host;  // "": all addresses of this machine
  uint16_t port = 0;
};

// ":9443", "127.0.0.1:9443", "[::1]:9443".
std::optional<Address> parse_address(std::string_view text);

struct TlsFiles {
  std::string certificate;  // PEM, with its chain
  std::string key;
};

struct ServerLimits {
  size_t body = 0;           // bytes
  size_t headers = 8 << 10;  // bytes
  // With TLS. Another one takes the place of one that nobody waits for; if there is none, it waits.
  size_t connections = 500;
  std::chrono::seconds idle{30};  // for a handshake, a request, and the next request
};

struct ClientRequest {
  std::string url;                            // https://10.0.0.1:443/apis/…
  std::string token;                          // "": none
  std::string authority;                      // the file of the certificates that are trusted; for https
  std::chrono::milliseconds timeout{10'000};  // from now to the end of the answer
  size_t body = size_t{64} << 20U;            // bytes of the whole answer
};

// The parts of an answer as they come.
struct ClientEvents {
  std::function<void(int status)> begin;
  std::function<void(const std::string& part)> part;
  // After the last part, or when there is no answer: then with the reason.
  std::function<void(const std::string& error)> end;
};

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // The error, or "". Without TLS if there are no files.
  std::string listen(const Address& address, const std::optional<TlsFiles>& tls, const ServerLimits& limits,
                     Handler handler);
  // Reads the certificates of all servers again, for new connections. The error, or "": the old ones stay.
  std::string reload_certificates();
  // The ports that are listened on, in the order of the calls.
  std::vector<uint16_t> ports() const;
  // Each connection ends with its next answer; clients that keep it open have to connect again, to another
  // server.
  void close_connections();
  // Accepts no more connections.
  void close_listeners();
  // The requests that have no answer yet.
  size_t open_requests() const;

  void get(const ClientRequest& request, ClientEvents events);
  void after(std::chrono::milliseconds delay, std::function<void()> action);
  // SIGTERM, SIGINT.
  void on_stop_signal(std::function<void()> action);

  // Until stop().
  void run();
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trainjobc::webhook
