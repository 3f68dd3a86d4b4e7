// SPDX-License-Identifier: Apache-2.0

#include "webhook/http.h"

#include <event2/buffer.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <list>
#include <set>
#include <utility>
#include <vector>

namespace trainjobc::webhook {
namespace http {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using EventBase = std::unique_ptr<event_base, Deleter<event_base_free>>;
using Event = std::unique_ptr<event, Deleter<event_free>>;
using Http = std::unique_ptr<evhttp, Deleter<evhttp_free>>;
using Uri = std::unique_ptr<evhttp_uri, Deleter<evhttp_uri_free>>;
using Tls = std::shared_ptr<SSL_CTX>;

std::string last_tls_error() {
  std::string text(256, '\0');
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "unknown error";
  ERR_error_string_n(code, text.data(), text.size());
  text.resize(text.find('\0'));
  return text;
}

Tls make_tls(const SSL_METHOD* method) {
  Tls tls(SSL_CTX_new(method), SSL_CTX_free);
  if (!tls) return tls;
  SSL_CTX_set_min_proto_version(tls.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(tls.get(), SSL_MODE_RELEASE_BUFFERS);  // idle connections keep no buffers
  return tls;
}

// Makes a TLS context from the files, in `made`. Returns the error, or "".
std::string make_server_tls(const TlsFiles& files, Tls& made) {
  Tls tls = make_tls(TLS_server_method());
  if (!tls) return last_tls_error();
  SSL_CTX_set_options(tls.get(), SSL_OP_NO_RENEGOTIATION);
  if (SSL_CTX_use_certificate_chain_file(tls.get(), files.certificate.c_str()) != 1)
    return fmt::format("{}: {}", files.certificate, last_tls_error());
  if (SSL_CTX_use_PrivateKey_file(tls.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(tls.get()) != 1)
    return fmt::format("{}: {}", files.key, last_tls_error());
  made = std::move(tls);
  return "";
}

timeval to_timeval(std::chrono::milliseconds time) {
  return {time.count() / 1000, static_cast<suseconds_t>(time.count() % 1000 * 1000)};
}

std::string taken(evbuffer* buffer) {
  std::string text(evbuffer_get_length(buffer), '\0');
  if (!text.empty()) evbuffer_remove(buffer, text.data(), text.size());
  return text;
}

struct Server;

// A TLS connection that a client has opened to one of the servers.
struct Accepted {
  Server* server = nullptr;
  bufferevent* stream = nullptr;
  std::list<Accepted*>* list =
      nullptr;  // the list that contains it; nullptr if it has a request, or is about to be closed
  std::list<Accepted*>::iterator place = {};

  void leave_list() {
    if (list) list->erase(place);
    list = nullptr;
  }
  void join(std::list<Accepted*>& other) {
    leave_list();
    list = &other;
    place = other.insert(other.end(), this);
  }
};

// One listening socket.
struct Server {
  Http http;
  evconnlistener* listener = nullptr;  // owned by `http`
  std::optional<TlsFiles> files;
  Tls tls;
  ServerLimits limits;
  Handler handler;
  uint16_t port = 0;
  size_t connections = 0;       // the number of TLS connections; others aren't counted
  std::list<Accepted*> silent;  // connections that have never sent a request, oldest first
  std::list<Accepted*> idle;    // connections whose requests are answered, least recently used first
  size_t open_requests = 0;
  bool is_full = false;     // accepts no connections for now
  bool is_closing = false;  // each connection ends with its next answer

  void opened() {
    // Connections that are being closed still exist while new ones arrive.
    constexpr size_t kLeaving = 100;
    if (++connections <= limits.connections) return;
    if (close_one() && connections < limits.connections + kLeaving) return;
    is_full = true;
    if (listener) evconnlistener_disable(listener);
  }
  void closed() {
    if (--connections > limits.connections || !std::exchange(is_full, false)) return;
    if (listener) evconnlistener_enable(listener);
  }

 private:
  // Closes a connection that waits, preferably one that has never sent a request, so that such clients don't
  // keep others out; the loop then sees the end of the connection. False if all have a request.
  bool close_one() {
    std::list<Accepted*>& list = silent.empty() ? idle : silent;
    if (list.empty()) return false;
    Accepted& leaving = *list.front();
    leaving.leave_list();
    ::shutdown(bufferevent_getfd(leaving.stream), SHUT_RDWR);
    return true;
  }
};

// If no descriptor is free, the connection stays in the queue, and accept() would fail again at once,
// forever.
void on_accept_error(evconnlistener* listener, void*) {
  constexpr timeval kPause{0, 100'000};
  evconnlistener_disable(listener);
  event_base_once(
      evconnlistener_get_base(listener), -1, EV_TIMEOUT,
      [](evutil_socket_t, short, void* paused) {
        evconnlistener_enable(static_cast<evconnlistener*>(paused));
      },
      listener, &kPause);
}

void on_closed(void*, void* connection, CRYPTO_EX_DATA*, int, long, void*) {
  const std::unique_ptr<Accepted> accepted(static_cast<Accepted*>(connection));
  if (!accepted) return;
  accepted->leave_list();
  accepted->server->closed();
}

int connection_index() {
  static const int kIndex = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, on_closed);
  return kIndex;
}

// Returns nullptr if the connection has no TLS.
Accepted* accepted_of(evhttp_request* request) {
  evhttp_connection* connection = evhttp_request_get_connection(request);
  bufferevent* stream = connection ? evhttp_connection_get_bufferevent(connection) : nullptr;
  const SSL* ssl = stream ? bufferevent_openssl_get_ssl(stream) : nullptr;
  return ssl ? static_cast<Accepted*>(SSL_get_ex_data(ssl, connection_index())) : nullptr;
}

bufferevent* accept_tls(event_base* base, void* argument) {
  Server& server = *static_cast<Server*>(argument);
  SSL* ssl = SSL_new(server.tls.get());
  if (!ssl) return nullptr;
  bufferevent* stream =
      bufferevent_openssl_socket_new(base, -1, ssl, BUFFEREVENT_SSL_ACCEPTING, BEV_OPT_CLOSE_ON_FREE);
  if (!stream) return nullptr;
  bufferevent_openssl_set_allow_dirty_shutdown(stream, 1);
  server.opened();
  auto accepted = std::make_unique<Accepted>(Accepted{&server, stream});
  accepted->join(server.silent);
  SSL_set_ex_data(ssl, connection_index(), accepted.release());
  return stream;
}

// A request that waits for its answer. If its connection ends first, libevent keeps the request until then.
struct Pending {
  evhttp_request* request = nullptr;  // nullptr once it is answered
  Server* server = nullptr;

  void send(const HttpResponse& response) {
    evhttp_request* open = std::exchange(request, nullptr);
    if (!open) return;
    --server->open_requests;
    evkeyvalq* headers = evhttp_request_get_output_headers(open);
    evhttp_add_header(headers, "Content-Type", response.type.c_str());
    if (server->is_closing) evhttp_add_header(headers, "Connection", "close");
    evbuffer_add(evhttp_request_get_output_buffer(open), response.body.data(), response.body.size());
    evhttp_send_reply(open, response.status, nullptr, nullptr);
  }
};

std::string path_of(evhttp_request* request) {
  const evhttp_uri* uri = evhttp_request_get_evhttp_uri(request);
  const char* path = uri ? evhttp_uri_get_path(uri) : nullptr;
  return path ? path : "";
}

void on_request(evhttp_request* request, void* argument) {
  Server& server = *static_cast<Server*>(argument);
  const HttpRequest read{evhttp_request_get_command(request) == EVHTTP_REQ_POST, path_of(request),
                         taken(evhttp_request_get_input_buffer(request))};
  auto pending = std::make_shared<Pending>(Pending{request, &server});
  ++server.open_requests;
  if (Accepted* accepted = accepted_of(request)) {
    accepted->leave_list();
    evhttp_request_set_on_complete_cb(
        request,
        [](evhttp_request*, void* own) {
          auto* sent = static_cast<Accepted*>(own);
          sent->join(sent->server->idle);
        },
        accepted);
  }
  server.handler(read, [pending](const HttpResponse& response) { pending->send(response); });
}

struct Client;

void free_connection(evhttp_connection* connection) {
  evhttp_connection_set_closecb(connection, nullptr, nullptr);
  evhttp_connection_free(connection);
}

// A connection to a server, for one request at a time.
struct Connection {
  std::string peer;
  std::unique_ptr<evhttp_connection, Deleter<free_connection>> http;
  event* cleanup = nullptr;
  Client* client = nullptr;  // nullptr while it waits for a request
  bool is_closed = false;    // by the server, or after an error

  void close() {
    is_closed = true;
    if (!client) event_active(cleanup, EV_TIMEOUT, 0);
  }
};

// Connections to servers. They stay open after an answer, because a new one costs more than a request.
// libevent may still use one that was closed, so the loop frees it.
class Connections {
 public:
  explicit Connections(event_base* base);
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  // A connection to `peer` that waits for a request; nullptr if there is none.
  Connection* waiting(const std::string& peer);
  Connection& add(std::string peer, evhttp_connection* http);
  // Called when its request has ended.
  void release(Connection& connection, bool is_usable);

 private:
  static constexpr size_t kMostWaiting = 32;
  static constexpr timeval kLongestWait{60, 0};

  std::list<Connection> all_;  // most recently used first
  Event cleanup_;
};

struct Client {
  Connections* connections = nullptr;
  Connection* connection = nullptr;
  ClientEvents events;
  // Repeats the request over a new connection; empty if this one is new. A server may close a connection just
  // as a request is sent.
  std::function<void(ClientEvents events)> repeat;
  evhttp_request* asked = nullptr;
  Event deadline;
  bool has_begun = false;
  bool is_late = false;  // libevent says so, which counts the time since the last byte

  void begin(evhttp_request* request) {
    if (!std::exchange(has_begun, true)) events.begin(evhttp_request_get_response_code(request));
  }
  void take(evhttp_request* request) {
    begin(request);
    const std::string part = taken(evhttp_request_get_input_buffer(request));
    if (!part.empty()) events.part(part);
  }
};

void free_closed(evutil_socket_t, short, void* connections) {
  static_cast<std::list<Connection>*>(connections)->remove_if([](const Connection& connection) {
    return connection.is_closed && !connection.client;
  });
}

Connections::Connections(event_base* base) : cleanup_(event_new(base, -1, 0, free_closed, &all_)) {}

Connections::~Connections() {
  for (const Connection& connection : all_) delete connection.client;
}

Connection* Connections::waiting(const std::string& peer) {
  const auto found = std::ranges::find_if(all_, [&](const Connection& connection) {
    return !connection.client && !connection.is_closed && connection.peer == peer;
  });
  return found != all_.end() ? &*found : nullptr;
}

Connection& Connections::add(std::string peer, evhttp_connection* http) {
  Connection& connection = all_.emplace_front();
  connection.peer = std::move(peer);
  connection.http.reset(http);
  connection.cleanup = cleanup_.get();
  evhttp_connection_set_closecb(
      http, [](evhttp_connection*, void* own) { static_cast<Connection*>(own)->close(); }, &connection);
  return connection;
}

void Connections::release(Connection& connection, bool is_usable) {
  connection.client = nullptr;
  const auto waiting =
      std::ranges::count_if(all_, [](const Connection& one) { return !one.client && !one.is_closed; });
  if (!is_usable || connection.is_closed || static_cast<size_t>(waiting) > kMostWaiting)
    return connection.close();
  evhttp_connection_set_timeout_tv(connection.http.get(), &kLongestWait);
  const auto place = std::ranges::find(all_, &connection, [](const Connection& one) { return &one; });
  all_.splice(all_.begin(), all_, place);
}

constexpr const char* kLate = "the answer did not come in time";

void on_part(evhttp_request* request, void* argument) {
  static_cast<Client*>(argument)->take(request);
}

void on_error(evhttp_request_error error, void* argument) {
  static_cast<Client*>(argument)->is_late = error == EVREQ_HTTP_TIMEOUT;
}

// `request` is nullptr if there is no complete answer.
void on_end(evhttp_request* request, void* argument) {
  const std::unique_ptr<Client> client(static_cast<Client*>(argument));
  const bool has_answer = request && evhttp_request_get_response_code(request) != 0;
  if (has_answer) client->take(request);
  client->connections->release(*client->connection, has_answer);
  if (!has_answer && !client->has_begun && !client->is_late && client->repeat)
    return client->repeat(std::move(client->events));
  client->events.end(has_answer ? "" : client->is_late ? kLate : "the connection failed");
}

// libevent never considers an answer late that arrives byte by byte.
void on_deadline(evutil_socket_t, short, void* argument) {
  const std::unique_ptr<Client> client(static_cast<Client*>(argument));
  evhttp_cancel_request(client->asked);  // doesn't call on_end
  client->connections->release(*client->connection, false);
  client->events.end(kLate);
}

struct Timer {
  std::set<Timer*>* all = nullptr;
  Event event;
  std::function<void()> action;
};

struct Target {
  std::string host;
  uint16_t port = 0;
  std::string path;  // including the query
  bool has_tls = false;
};

std::optional<Target> parse_url(const std::string& url) {
  const Uri uri(evhttp_uri_parse(url.c_str()));
  const char* host = uri ? evhttp_uri_get_host(uri.get()) : nullptr;
  const char* scheme = uri ? evhttp_uri_get_scheme(uri.get()) : nullptr;
  if (!host || !scheme || std::string_view(host).empty()) return std::nullopt;
  Target target{.host = host, .port = 0, .path = evhttp_uri_get_path(uri.get())};
  target.has_tls = std::string_view(scheme) == "https";
  if (!target.has_tls && std::string_view(scheme) != "http") return std::nullopt;
  const int port = evhttp_uri_get_port(uri.get());
  target.port = static_cast<uint16_t>(port > 0 ? port : target.has_tls ? 443 : 80);
  if (const char* query = evhttp_uri_get_query(uri.get())) target.path += fmt::format("?{}", query);
  if (target.host.starts_with('[') && target.host.ends_with(']')) {
    target.host = target.host.substr(1, target.host.size() - 2);
  }
  return target;
}

// A stream that accepts only a certificate for this host, signed by `authority`.
bufferevent* connect_tls(event_base* base, const Target& target, const std::string& authority) {
  const Tls tls = make_tls(TLS_client_method());
  if (!tls || SSL_CTX_load_verify_locations(tls.get(), authority.c_str(), nullptr) != 1) return nullptr;
  SSL_CTX_set_verify(tls.get(), SSL_VERIFY_PEER, nullptr);
  SSL* ssl = SSL_new(tls.get());  // it keeps the context alive
  if (!ssl) return nullptr;
  X509_VERIFY_PARAM* expected = SSL_get0_param(ssl);
  if (X509_VERIFY_PARAM_set1_ip_asc(expected, target.host.c_str()) != 1) {
    X509_VERIFY_PARAM_set1_host(expected, target.host.c_str(), target.host.size());
    SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(target.host.c_str()));
  }
  ERR_clear_error();
  bufferevent* stream =
      bufferevent_openssl_socket_new(base, -1, ssl, BUFFEREVENT_SSL_CONNECTING, BEV_OPT_CLOSE_ON_FREE);
  if (stream) bufferevent_openssl_set_allow_dirty_shutdown(stream, 1);
  return stream;
}

std::string host_header(const Target& target) {
  const bool is_v6 = target.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", is_v6 ? "[" : "", target.host, is_v6 ? "]" : "", target.port);
}

}  // namespace http

std::optional<Address> parse_address(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  Address address{.host = std::string(host)};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return address;
}

struct Loop::State {
  std::list<http::Server> servers;  // libevent frees some of their connections along with the base
  http::EventBase base{event_base_new()};
  http::Connections connections{base.get()};
  std::set<http::Timer*> timers;
  std::vector<http::Event> signals;
  std::function<void()> stop_action;

  void get(const ClientRequest& request, ClientEvents events, bool can_reuse);
  std::function<void(ClientEvents events)> over_new_connection(const ClientRequest& request);
};

using http::Client;
using http::Connection;
using http::Server;
using http::Timer;

Loop::Loop() : state_(std::make_unique<State>()) {}

// When a connection is freed, it accesses its server.
Loop::~Loop() {
  for (Server& server : state_->servers) {
    server.listener = nullptr;
    server.http.reset();
  }
  for (Timer* timer : std::exchange(state_->timers, {})) delete timer;
}

std::string Loop::listen(const Address& address, const std::optional<TlsFiles>& tls,
                         const ServerLimits& limits, Handler handler) {
  Server& server = state_->servers.emplace_back();
  server.files = tls;
  server.limits = limits;
  server.handler = std::move(handler);
  server.http.reset(evhttp_new(state_->base.get()));
  if (tls) {
    if (std::string error = http::make_server_tls(*tls, server.tls); !error.empty()) return error;
    evhttp_set_bevcb(server.http.get(), http::accept_tls, &server);
  }
  evhttp_set_max_body_size(server.http.get(), static_cast<ev_ssize_t>(limits.body));
  evhttp_set_max_headers_size(server.http.get(), static_cast<ev_ssize_t>(limits.headers));
  evhttp_set_timeout(server.http.get(), static_cast<int>(limits.idle.count()));
  evhttp_set_allowed_methods(server.http.get(), EVHTTP_REQ_GET | EVHTTP_REQ_POST);
  evhttp_set_gencb(server.http.get(), http::on_request, &server);
  evhttp_bound_socket* bound = nullptr;
  // "::" accepts IPv4 too, but doesn't exist on a machine without IPv6.
  for (const char* host : {address.host.empty() ? "::" : address.host.c_str(), "0.0.0.0"}) {
    if (!bound) bound = evhttp_bind_socket_with_handle(server.http.get(), host, address.port);
    if (!address.host.empty()) break;
  }
  if (!bound) return fmt::format("listen on {}:{}: {}", address.host, address.port, strerror(errno));
  server.listener = evhttp_bound_socket_get_listener(bound);
  evconnlistener_set_error_cb(server.listener, http::on_accept_error);
  const evutil_socket_t socket = evconnlistener_get_fd(server.listener);
  constexpr int kWaiting = 4096;  // libevent's own limit is 128
  ::listen(socket, kWaiting);
  // Connections inherit this: the body of an answer doesn't wait until its headers are acknowledged.
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_storage local{};
  socklen_t size = sizeof local;
  getsockname(socket, reinterpret_cast<sockaddr*>(&local), &size);
  server.port = ntohs(local.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(local).sin6_port
                                                  : reinterpret_cast<sockaddr_in&>(local).sin_port);
  return "";
}

std::string Loop::reload_certificates() {
  for (Server& server : state_->servers) {
    if (!server.files) continue;
    if (std::string error = http::make_server_tls(*server.files, server.tls); !error.empty()) return error;
  }
  return "";
}

void Loop::close_connections() {
  for (Server& server : state_->servers) server.is_closing = true;
}

std::vector<uint16_t> Loop::ports() const {
  std::vector<uint16_t> ports;
  for (const Server& server : state_->servers) ports.push_back(server.port);
  return ports;
}

void Loop::close_listeners() {
  for (Server& server : state_->servers) {
    if (server.listener) evconnlistener_disable(server.listener);
  }
}

size_t Loop::open_requests() const {
  size_t count = 0;
  for (const Server& server : state_->servers) count += server.open_requests;
  return count;
}

namespace {

constexpr ev_ssize_t kMaxHeaders = ev_ssize_t{64} << 10U;  // of an API server's answer

}  // namespace

void Loop::get(const ClientRequest& request, ClientEvents events) {
  state_->get(request, std::move(events), true);
}

// Repeats the request, with the same deadline.
std::function<void(ClientEvents events)> Loop::State::over_new_connection(const ClientRequest& request) {
  using std::chrono::milliseconds;
  const auto deadline = std::chrono::steady_clock::now() + request.timeout;
  return [this, request, deadline](ClientEvents events) {
    const auto rest = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    ClientRequest again = request;
    again.timeout = std::max(rest, milliseconds{1});
    get(again, std::move(events), false);
  };
}

void Loop::State::get(const ClientRequest& request, ClientEvents events, bool can_reuse) {
  const auto target = http::parse_url(request.url);
  if (!target) return events.end("the URL is not valid");
  std::string peer =
      fmt::format("{} {} {} {}", target->has_tls, target->host, target->port, request.authority);
  Connection* connection = can_reuse ? connections.waiting(peer) : nullptr;
  auto client = std::make_unique<Client>(Client{.connections = &connections, .events = std::move(events)});
  if (connection) {
    client->repeat = over_new_connection(request);
  } else {
    bufferevent* stream = nullptr;
    if (target->has_tls) {
      stream = http::connect_tls(base.get(), *target, request.authority);
      if (!stream)
        return client->events.end(fmt::format("{}: {}", request.authority, http::last_tls_error()));
    }
    evhttp_connection* http = evhttp_connection_base_bufferevent_new(base.get(), nullptr, stream,
                                                                     target->host.c_str(), target->port);
    if (!http) return client->events.end("out of memory");
    connection = &connections.add(std::move(peer), http);
  }
  client->connection = connection;
  connection->client = client.get();
  const timeval limit = http::to_timeval(request.timeout);
  evhttp_connection_set_timeout_tv(connection->http.get(), &limit);
  evhttp_connection_set_max_headers_size(connection->http.get(), kMaxHeaders);
  evhttp_connection_set_max_body_size(connection->http.get(), static_cast<ev_ssize_t>(request.body));
  client->deadline.reset(event_new(base.get(), -1, 0, http::on_deadline, client.get()));
  event_add(client->deadline.get(), &limit);
  evhttp_request* asked = evhttp_request_new(http::on_end, client.get());
  client.release()->asked = asked;
  evhttp_request_set_error_cb(asked, http::on_error);
  evhttp_request_set_chunked_cb(asked, http::on_part);
  evhttp_request_set_header_cb(asked, [](evhttp_request* answer, void* own) {
    static_cast<Client*>(own)->begin(answer);
    return 0;
  });
  evkeyvalq* headers = evhttp_request_get_output_headers(asked);
  evhttp_add_header(headers, "Host", http::host_header(*target).c_str());
  evhttp_add_header(headers, "Accept", "application/json");
  if (!request.token.empty())
    evhttp_add_header(headers, "Authorization", fmt::format("Bearer {}", request.token).c_str());
  // Even if this fails at once, http::on_end has been or will be called.
  evhttp_make_request(connection->http.get(), asked, EVHTTP_REQ_GET, target->path.c_str());
}

void Loop::after(std::chrono::milliseconds delay, std::function<void()> action) {
  auto* timer = new Timer{&state_->timers, nullptr, std::move(action)};
  state_->timers.insert(timer);
  timer->event.reset(event_new(
      state_->base.get(), -1, 0,
      [](evutil_socket_t, short, void* argument) {
        const std::unique_ptr<Timer> due(static_cast<Timer*>(argument));
        due->all->erase(due.get());
        due->action();
      },
      timer));
  const timeval wait = http::to_timeval(delay);
  event_add(timer->event.get(), &wait);
}

void Loop::on_stop_signal(std::function<void()> action) {
  state_->stop_action = std::move(action);
  for (const int signal : {SIGTERM, SIGINT}) {
    http::Event event(evsignal_new(
        state_->base.get(), signal,
        [](evutil_socket_t, short, void* argument) { static_cast<State*>(argument)->stop_action(); },
        state_.get()));
    event_add(event.get(), nullptr);
    state_->signals.push_back(std::move(event));
  }
}

void Loop::run() {
  event_base_dispatch(state_->base.get());
}

void Loop::stop() {
  event_base_loopbreak(state_->base.get());
}

}  // namespace trainjobc::webhook
