// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/text/lines.h"
#include "features/plan/format/plan_formats.h"

namespace trainjobc::plan {
namespace {

// GitHub accepts 65536 characters; the difference is for the last lines.
constexpr size_t kMostBytes = 60'000;

// Text outside of code: no markup, no mentions.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    if (byte == '<') {
      out += "&lt;";
    } else if (byte == '&') {
      out += "&amp;";
    } else if (byte == '\n' || byte == '\r') {
      out += ' ';
    } else {
      if (std::string_view("\\`*_[]|@#{}~").find(byte) != std::string_view::npos) out += '\\';
      out += byte;
    }
  }
  return out;
}

std::string row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += fmt::format(" {} |", escaped(cell));
  return line + "\n";
}

// Columns of texts are left, those of amounts right.
std::string header(const std::vector<std::string>& titles) {
  constexpr std::array<std::string_view, 4> kTexts{"JOB", "QUEUE", "HOSTS", "NAMESPACE"};
  std::string line = row(titles) + "|";
  for (const std::string& title : titles)
    line += std::ranges::find(kTexts, title) != kTexts.end() ? "---|" : "--:|";
  return line + "\n";
}

std::string totals_text(const Plan& plan, const std::vector<std::string>& resources) {
  std::string text = header(total_titles(resources));
  for (const Total& total : plan.totals) text += row(total_cells(total, resources));
  if (plan.totals.size() > 1) {
    std::vector<std::string> cells = total_cells(plan.total, resources);
    cells[0] = "total";
    cells[1] = "";
    text += row(cells);
  }
  return text + "\n";
}

std::string admission_text(const JobPlan& job) {
  std::string text;
  for (const std::string& line : admission_lines(job)) {
    text += text.empty() ? fmt::format("- **{}/{}** {}\n", escaped(job.ns), escaped(job.name), escaped(line))
                         : fmt::format("  - {}\n", escaped(line));
  }
  return text;
}

// A block of code with everything that --ranks lists.
std::string ranks_block(const JobPlan& job) {
  const RankVariables variables = variables_of(job);
  std::string text = fmt::format("<details><summary>{}/{}: ranks</summary>\n\n", job.ns, job.name);
  std::string code = fmt::format("environment: {}\n", fmt::join(variables.common, " "));
  for (size_t i = 0; i < job.ranks.size(); ++i) {
    const RankNode& node = job.ranks[i];
    code += fmt::format("{}  {}  {}\n  {}\n", ranks_text(node), node.host, fmt::join(variables.own[i], " "),
                        fmt::join(node.command, " "));
  }
  if (!job.hostfile.empty()) code += fmt::format("hostfile:\n{}", job.hostfile);
  // No line of it ends the block.
  for (const std::string_view line : base::Lines(code)) text += fmt::format("    {}\n", line);
  return text + "\n</details>\n\n";
}

class Comment {
 public:
  explicit Comment(std::string head) : out_(std::move(head)) {}

  void add(const std::string& text) {
    if (left_out_ > 0 || out_.size() + text.size() > kMostBytes) {
      ++left_out_;
    } else {
      out_ += text;
    }
  }

  std::string end() {
    if (left_out_ > 0) out_ += fmt::format("\n… and {} more\n", left_out_);
    out_.erase(out_.find_last_not_of('\n') + 1);
    return out_ + "\n";
  }

 private:
  std::string out_;
  size_t left_out_ = 0;
};

}  // namespace

std::string format_markdown(const Plan& plan, const PlanFormat& format) {
  const std::vector<std::string> resources = resources_of(plan);
  Comment comment(fmt::format("### trainjobc plan: {} job{}, {} pod{}\n\n", plan.total.jobs,
                              plan.total.jobs == 1 ? "" : "s", plan.total.pods,
                              plan.total.pods == 1 ? "" : "s"));
  if (plan.jobs.empty()) return comment.end();
  comment.add(totals_text(plan, resources));
  comment.add(header(job_titles(resources)));
  for (const JobPlan& job : plan.jobs) comment.add(row(job_cells(job, resources)));
  comment.add("\n");
  if (format.quota) {
    for (const JobPlan& job : plan.jobs) comment.add(admission_text(job));
    comment.add("\n");
  }
  if (format.ranks) {
    for (const JobPlan& job : plan.jobs) comment.add(ranks_block(job));
  }
  return comment.end();
}

}  // namespace trainjobc::plan
