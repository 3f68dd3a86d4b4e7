// SPDX-License-Identifier: Apache-2.0

#include "inputs/build_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <random>
#include <system_error>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"

namespace trainjobc::inputs {
namespace {

using base::IoResult;
using base::ProcessRequest;
using base::ProcessResult;

// Goes up if the parts of a key, or the format of an entry, change.
constexpr std::string_view kFormat = "trainjobc build 1";
constexpr size_t kDigestSize = 64;  // in hexadecimal digits
constexpr std::string_view kUnfinished = ".new-";

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    is_good_ = context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1;
  }

  void add(std::string_view bytes) {
    is_good_ = is_good_ && EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1;
  }
  // So that no two lists of parts are the same bytes.
  void add_part(std::string_view part) {
    add(fmt::format("{}:", part.size()));
    add(part);
  }
  // "" if it can't be computed. Nothing may be added after it.
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    if (!is_good_ || EVP_DigestFinal_ex(context_.get(), bytes.data(), &size) != 1) return "";
    std::string text;
    for (const unsigned char byte : std::span(bytes.data(), size)) text += fmt::format("{:02x}", byte);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
  bool is_good_ = false;
};

std::string digest_of(std::string_view text) {
  Digest digest;
  digest.add(text);
  return digest.hex();
}

bool is_own(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Calls `use` with each part of the rest of a file. False after an error.
template <class Use>
bool for_each_block(int file, Use use) {
  std::vector<char> block(size_t{1} << 18U);
  for (;;) {
    const ssize_t size = base::repeat([&] { return ::read(file, block.data(), block.size()); });
    if (size < 0) return false;
    if (size == 0) return true;
    use(std::string_view(block.data(), static_cast<size_t>(size)));
  }
}

}  // namespace

TextStore::TextStore(std::string folder, uint64_t limit) : path_(std::move(folder)), limit_(limit) {}

bool TextStore::open() {
  if (std::exchange(is_tried_, true) || path_.empty()) return folder_.is_open();
  constexpr mode_t kOwn = 0700;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
  ::mkdir(path_.c_str(), kOwn);
  folder_.open(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (folder_.is_open() && (::fstat(folder_.get(), &status) != 0 || !is_own(status))) folder_.close();
  return folder_.is_open();
}

std::optional<std::string> TextStore::find(const std::string& name) {
  if (!open()) return std::nullopt;
  const base::Descriptor file(
      ::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || !is_own(status))
    return std::nullopt;
  std::string text;
  text.reserve(static_cast<size_t>(status.st_size));
  if (!for_each_block(file.get(), [&](std::string_view block) { text += block; }) ||
      text.size() < kDigestSize)
    return std::nullopt;
  const std::string wanted = text.substr(0, kDigestSize);
  text.erase(0, kDigestSize);
  if (digest_of(text) != wanted) return std::nullopt;
  ::futimens(file.get(), nullptr);
  return text;
}

bool TextStore::keep(const std::string& name, std::string_view text) {
  constexpr mode_t kOwn = 0600;
  constexpr uint64_t kLeast = 8;  // so many entries of the largest size fit
  const std::string digest = digest_of(text);
  if (text.size() > limit_ / kLeast || digest.size() != kDigestSize || !open()) return false;
  std::random_device random;
  const std::string unfinished = fmt::format("{}{}-{:08x}", kUnfinished, ::getpid(), random());
  base::Descriptor file(::openat(folder_.get(), unfinished.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kOwn));
  if (!file.is_open()) return false;
  const bool is_whole =
      base::write_all(file.get(), digest) && base::write_all(file.get(), text) && file.close() == 0;
  if (is_whole && ::renameat(folder_.get(), unfinished.c_str(), folder_.get(), name.c_str()) == 0)
    return true;
  ::unlinkat(folder_.get(), unfinished.c_str(), 0);
  return false;
}

void TextStore::shrink() {
  if (!open()) return;
  struct Kept {
    time_t used = 0;
    uint64_t size = 0;
    std::string name;
  };
  // A separate descriptor, so that the list begins at the first entry.
  const int listed = ::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* list = listed >= 0 ? ::fdopendir(listed) : nullptr;
  if (!list) return;
  constexpr time_t kLongest = 3600;  // the seconds after which an unfinished entry was abandoned
  const time_t now = std::time(nullptr);
  std::vector<Kept> all;
  uint64_t total = 0;
  while (const dirent* entry = ::readdir(list)) {  // NOLINT(concurrency-mt-unsafe): a list of its own
    const std::string name = static_cast<const char*>(entry->d_name);
    struct stat status {};
    if (::fstatat(folder_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
      continue;
    const bool is_left = name.starts_with(kUnfinished) && status.st_mtime + kLongest < now;
    if (is_left) ::unlinkat(folder_.get(), name.c_str(), 0);
    if (name.starts_with('.')) continue;
    total += static_cast<uint64_t>(status.st_size);
    all.push_back({status.st_mtime, static_cast<uint64_t>(status.st_size), name});
  }
  ::closedir(list);
  if (total <= limit_) return;
  std::ranges::sort(all, {}, [](const Kept& one) { return std::pair(one.used, one.name); });
  // Lower than the limit, so that not every run has to shrink the folder.
  const uint64_t enough = limit_ - limit_ / 4;
  for (const Kept& one : all) {
    if (total <= enough) break;
    if (::unlinkat(folder_.get(), one.name.c_str(), 0) == 0) total -= one.size;
  }
}

namespace {

// The file that execvp(3) would run; "" if there is none.
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing sets variables
  if (!path) return "";
  for (const std::string_view folder : base::split(path, ":")) {
    std::string place = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    struct stat status {};
    if (::stat(place.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(place.c_str(), X_OK) == 0)
      return place;
  }
  return "";
}

// Whether the program itself does the work: a script, or a program under another name, may start another one,
// for any reason.
bool is_program_itself(const std::string& name, const std::string& real_place, std::string_view begin) {
  static constexpr std::array<std::string_view, 3> kNative{
      "\x7F"
      "ELF",
      "\xCF\xFA\xED\xFE", "\xCA\xFE\xBA\xBE"};
  const std::string_view file = std::string_view(real_place).substr(real_place.rfind('/') + 1);
  const std::string_view own = std::string_view(name).substr(name.rfind('/') + 1);
  return file.starts_with(own) &&
         std::ranges::any_of(kNative, [&](std::string_view magic) { return begin.starts_with(magic); });
}

// Computes the names under which answers are kept; reads each file once.
class Keys {
 public:
  explicit Keys(TextStore& store) : store_(store) {}

  // Returns "" if the answer may depend on something unknown.
  std::string of(const ProcessRequest& request) {
    if (!request.depends_on || !request.variables.empty() || request.streams != base::Streams::Capture)
      return "";
    const base::Dependencies& dependencies = *request.depends_on;
    const std::string& program = program_of(request.argv.front());
    if (program.empty()) return "";
    Digest digest;
    digest.add_part(kFormat);
    digest.add_part(program);
    digest.add_part(dependencies.call);
    digest.add_part(request.input);
    for (const auto& [name, path] : dependencies.read) {
      const std::string& content = content_of(*dependencies.files, path);
      if (content.empty()) return "";
      digest.add_part(name);
      digest.add_part(content);
    }
    return digest.hex();
  }

 private:
  // The digest of the file's content; "" if it can't be read.
  const std::string& content_of(const base::FileSystem& files, const std::string& path) {
    const auto [known, is_new] = contents_.try_emplace({&files, path});
    if (!is_new) return known->second;
    if (!files.exists(path)) return known->second = "none";
    const auto text = files.read(path);
    if (const auto* read = std::get_if<std::string>(&text)) known->second = digest_of(*read);
    return known->second;
  }

  const std::string& program_of(const std::string& name) {
    const auto [known, is_new] = programs_.try_emplace(name);
    if (is_new) known->second = read_program(name);
    return known->second;
  }

  // The digest of the program; "" if it may start another one.
  std::string read_program(const std::string& name) {
    const std::string found = find_program(name);
    if (found.empty()) return "";
    const std::string place = base::real_path(found);
    const base::Descriptor file(::open(place.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    std::array<char, 4> begin{};
    if (!file.is_open() || ::fstat(file.get(), &status) != 0 ||
        ::pread(file.get(), begin.data(), begin.size(), 0) != static_cast<ssize_t>(begin.size()) ||
        !is_program_itself(name, place, {begin.data(), begin.size()}))
      return "";
    // A program has tens of megabytes and changes rarely, so its digest is kept.
    const std::string state = fmt::format("{} {} {} {} {} {} {}", kFormat, place, status.st_dev,
                                          status.st_ino, status.st_size, status.st_mtime, status.st_ctime);
    const std::string key = digest_of(state);
    if (auto known = store_.find(key)) return *known;
    Digest digest;
    if (!for_each_block(file.get(), [&](std::string_view block) { digest.add(block); })) return "";
    std::string content = digest.hex();
    // A program that was just written may have the same times after its next change.
    constexpr time_t kCoarse = 5;
    if (status.st_ctime + kCoarse < std::time(nullptr)) store_.keep(key, content);
    return content;
  }

  TextStore& store_;
  std::map<std::string, std::string> programs_;
  std::map<std::pair<const base::FileSystem*, std::string>, std::string> contents_;
};

// Whether the manifests may contain a Secret: "kind: Secret", in any notation, or a list of them.
bool has_secret(std::string_view manifests) {
  constexpr std::string_view kSecret = "Secret";
  constexpr size_t kFarthest = 64;  // bytes from the key to its value
  for (size_t at = manifests.find(kSecret); at != std::string_view::npos;
       at = manifests.find(kSecret, at + 1)) {
    const std::string_view after = manifests.substr(at + kSecret.size());
    if (!after.empty() && base::is_alnum(after.front()) && !after.starts_with("List")) continue;
    const size_t begin = at - std::min(at, kFarthest);
    if (manifests.substr(begin, at - begin).find("kind") != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

IoResult<ProcessResult> CachingRunner::run(const ProcessRequest& request) {
  if (!request.depends_on) return programs_.run(request);
  return std::move(run_all({&request, 1}).front());
}

std::vector<IoResult<ProcessResult>> CachingRunner::run_all(std::span<const ProcessRequest> requests) {
  std::vector<IoResult<ProcessResult>> results(requests.size(), ProcessResult{});
  std::vector<std::string> keys(requests.size());
  std::vector<ProcessRequest> unknown;
  std::vector<size_t> asked;
  Keys before(store_);
  for (size_t i = 0; i < requests.size(); ++i) {
    keys[i] = before.of(requests[i]);
    auto known = keys[i].empty() ? std::nullopt : store_.find(keys[i]);
    if (known) {
      results[i] = ProcessResult{0, std::move(*known), ""};
    } else {
      unknown.push_back(requests[i]);
      asked.push_back(i);
    }
  }
  if (unknown.empty()) return results;
  auto answers = programs_.run_all(unknown);
  // A file that changed meanwhile may have been read before or after the change.
  Keys after(store_);
  bool has_more = false;
  for (size_t i = 0; i < answers.size(); ++i) {
    const auto* answer = std::get_if<ProcessResult>(&answers[i]);
    const std::string& key = keys[asked[i]];
    if (answer && answer->status == 0 && !key.empty() && !has_secret(answer->out) &&
        after.of(unknown[i]) == key)
      has_more = store_.keep(key, answer->out) || has_more;
    results[asked[i]] = std::move(answers[i]);
  }
  if (has_more) store_.shrink();
  return results;
}

}  // namespace trainjobc::inputs
