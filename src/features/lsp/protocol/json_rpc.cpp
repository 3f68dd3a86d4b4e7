// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/protocol/json_rpc.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text/text.h"

namespace trainjobc::lsp {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadersEnd = "\r\n\r\n";

// The Content-Length in the headers; nullopt if there is none, or not one number.
std::optional<size_t> content_length(std::string_view headers) {
  std::optional<size_t> length;
  while (!headers.empty()) {
    const size_t end = std::min(headers.find(kLineEnd), headers.size());
    const std::string_view line = headers.substr(0, end);
    headers.remove_prefix(std::min(end + kLineEnd.size(), headers.size()));
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    if (base::lower_case(line.substr(0, colon)) != "content-length") continue;
    const std::string_view value = base::trimmed(line.substr(colon + 1), base::kBlanks);
    size_t number = 0;
    const auto [at, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || at != value.data() + value.size() || value.empty()) return std::nullopt;
    length = number;
  }
  return length;
}

}  // namespace

Json make_error(const Json& id, ErrorCode code, std::string_view message) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<int>(code)}, {"message", std::string(message)}}}};
}

Json make_answer(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json make_notification(std::string_view method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", std::string(method)}, {"params", std::move(params)}};
}

Json make_request(int64_t id, std::string_view method, Json params) {
  Json request = make_notification(method, std::move(params));
  request["id"] = id;
  return request;
}

std::string frame(const Json& message) {
  const std::string body = to_text(message);
  return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

void MessageReader::feed(std::string_view bytes) {
  bytes_.erase(0, std::exchange(begin_, 0));
  const size_t left_out = std::min(skipped_, bytes.size());
  skipped_ -= left_out;
  bytes_ += bytes.substr(left_out);
}

std::optional<MessageReader::Message> MessageReader::next() {
  if (is_broken_ || skipped_ > 0) return std::nullopt;
  if (!length_ && !read_headers()) {
    return is_broken_ ? std::optional<Message>(Broken{}) : std::nullopt;
  }
  if (*length_ > kMaxBody) {
    const size_t here = std::min(*length_, bytes_.size() - begin_);
    begin_ += here;
    skipped_ = *length_ - here;
    length_.reset();
    return TooLarge{};
  }
  if (bytes_.size() - begin_ < *length_) return std::nullopt;
  std::string body = bytes_.substr(begin_, *length_);
  begin_ += *length_;
  length_.reset();
  return body;
}

// False if they are not complete, or broken.
bool MessageReader::read_headers() {
  const std::string_view left = std::string_view(bytes_).substr(begin_);
  const size_t end = left.find(kHeadersEnd);
  if (end == std::string_view::npos || end > kMaxHeader) {
    is_broken_ = left.size() > kMaxHeader;
    return false;
  }
  length_ = content_length(left.substr(0, end));
  is_broken_ = !length_;
  begin_ += end + kHeadersEnd.size();
  return !is_broken_;
}

}  // namespace trainjobc::lsp
