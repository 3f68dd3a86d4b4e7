// SPDX-License-Identifier: Apache-2.0

#include "features/kubectl/watches.h"

#include <algorithm>
#include <utility>

namespace trainjobc::kubectl {

using base::ProcessNews;

size_t Watches::start(const std::string& resource, const std::string& ns,
                      const std::vector<std::string>& selectors) {
  Watch watch;
  watch.call.ns = ns;
  watch.call.words = {"get", resource, "--watch", "--output-watch-events", "-o", "json"};
  watch.call.words.insert(watch.call.words.end(), selectors.begin(), selectors.end());
  auto started = reader_->start(kubectl_.command(watch.call));
  ++last_;
  if (const auto* error = std::get_if<base::IoError>(&started)) {
    stillborn_.push_back({WatchNews::Kind::Ended, last_, "", kubectl_.failure_of(watch.call, *error), 0});
    return last_;
  }
  watch.program = std::get<size_t>(started);
  watches_.emplace(last_, std::move(watch));
  return last_;
}

size_t Watches::of_program(size_t program) const {
  const auto found =
      std::ranges::find_if(watches_, [&](const auto& entry) { return entry.second.program == program; });
  return found->first;
}

WatchNews Watches::next(std::chrono::milliseconds timeout) {
  if (!stillborn_.empty()) {
    WatchNews news = std::move(stillborn_.back());
    stillborn_.pop_back();
    return news;
  }
  for (auto& [number, watch] : watches_) {
    if (auto event = watch.stream.next()) return {WatchNews::Kind::Event, number, std::move(*event), {}, 0};
  }
  ProcessNews news = reader_->next(timeout);
  if (news.kind == ProcessNews::Kind::Nothing) return {};
  if (news.kind == ProcessNews::Kind::Interrupted)
    return {WatchNews::Kind::Interrupted, 0, "", {}, news.signal};
  const size_t number = of_program(news.program);
  Watch& watch = watches_.at(number);
  if (news.kind == ProcessNews::Kind::Output) {
    watch.stream.add(news.output);
    return next(std::chrono::milliseconds(0));
  }
  WatchNews ended{WatchNews::Kind::Ended, number, "", {}, 0};
  ended.failure = kubectl_.failure_of(watch.call, std::move(news.result));
  watches_.erase(number);
  return ended;
}

}  // namespace trainjobc::kubectl
