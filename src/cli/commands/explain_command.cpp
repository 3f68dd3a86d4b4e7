// SPDX-License-Identifier: Apache-2.0

// trainjobc explain
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "cli/commands.h"
#include "compile/kept_jobs.h"
#include "features/explain/explain.h"
#include "lint/report/document.h"
#include "platform/platform.h"
#include "secret/secret.h"

namespace trainjobc::cli {
namespace {

struct ExplainFlags {
  InputFlags input;
  ColourFlag colour;
  std::string field;
  std::string format;  // "" for yaml, or text with --field
  bool with_defaults = false;
};

explain::Format format_of(const std::string& word) {
  if (word == "json") return explain::Format::Json;
  return word == "text" ? explain::Format::Text : explain::Format::Yaml;
}

// The text of all jobs. JSON has ten times as many bytes as the jobs: of many jobs, most are made again when
// their turn comes to be written.
class Explanation {
 public:
  struct Style {
    explain::Format format = explain::Format::Yaml;
    explain::Wanted wanted;
    size_t width = 0;
    unsigned threads = 0;
  };

  explicit Explanation(Style style) : style_(std::move(style)) {}

  auto sinks() { return jobs_.sinks(); }

  // Can be called only once. False if not everything could be written.
  bool write(Console& console, const Compilation& compiled) {
    const std::vector<Text> kept = jobs_.take(compiled);
    for (size_t begin = 0; begin < kept.size(); begin += kAtOnce) {
      const size_t count = std::min(kAtOnce, kept.size() - begin);
      std::vector<std::string> texts =
          all_of(std::span(kept).subspan(begin, count), std::span(compiled.collected).subspan(begin, count));
      std::erase(texts, "");
      if (!texts.empty() && !write_some(console, texts)) return false;
    }
    const report::Joints joints = explain::joints_of(style_.format, is_empty_);
    return (!is_empty_ || console.write_stdout(joints.opening)) && console.write_stdout(joints.closing);
  }

  // Whether nothing was selected.
  bool is_empty() const { return is_empty_; }

 private:
  using Text = std::optional<std::string>;

  static constexpr size_t kAtOnce = 64;
  static constexpr size_t kMostBytes = size_t{48} << 20U;  // of the texts that are kept

  // Runs in the thread that compiles the job.
  Text keep(std::span<const Object> objects) {
    if (bytes_ >= kMostBytes) return std::nullopt;
    std::string text = explain(objects);
    text.shrink_to_fit();
    bytes_ += text.size();
    return text;
  }

  // Texts of these jobs: those that were kept, and the others.
  std::vector<std::string> all_of(std::span<const Text> kept, std::span<const CollectedJob> jobs) {
    std::vector<std::string> texts(kept.size());
    std::vector<size_t> left;
    for (size_t i = 0; i < kept.size(); ++i) {
      if (kept[i]) {
        texts[i] = *kept[i];
      } else {
        left.push_back(i);
      }
    }
    base::parallel_for(left.size(), 1, style_.threads,
                       [&](size_t i) { texts[left[i]] = explain(jobs[left[i]].make_again().objects); });
    return texts;
  }

  bool write_some(Console& console, const std::vector<std::string>& texts) {
    report::Joints joints = explain::joints_of(style_.format, false);
    if (!std::exchange(is_empty_, false)) joints.opening = joints.between;
    joints.closing = "";
    return report::write_joined(texts, joints,
                                [&](const std::string& part) { return console.write_stdout(part); });
  }

  // "" if no field was selected. Several threads call it.
  std::string explain(std::span<const Object> objects) {
    base::Arena arena;
    const yaml::Maker make(arena);
    const yaml::Node* written = objects.front().written;
    if (written) inputs_.add(*written);
    std::vector<Object> shown(objects.begin(), objects.end());
    for (Object& object : shown) object.root = secret::masked_object(*object.root, make);
    std::vector<Object> stored = shown;
    for (Object& object : stored) {
      if (!platform::kIsPage && object.kind == "JobSet" && object.platform)
        object.root = object.platform->with_limits(*object.root, make);
    }
    const auto origins =
        explain::explain_objects(stored, *shown.front().schemas, style_.wanted, inputs_, make);
    std::string text = explain::to_text(style_.format, shown, origins, style_.width);
    if (written) inputs_.forget(*written);
    return text;
  }

  const Style style_;
  objects::InputFields inputs_;
  std::atomic<size_t> bytes_ = 0;
  KeptJobs<Text> jobs_{[this](std::span<const Object> objects) { return keep(objects); }};
  bool is_empty_ = true;
};

int run_explain(Console& console, ExplainFlags flags) {
  if (flags.format.empty()) flags.format = flags.field.empty() ? "yaml" : "text";
  if (const std::string wrong = explain::FieldSelector::check(flags.field); !wrong.empty())
    return fail(console, fmt::format("--field: not a JSONPath, {}", wrong));
  if (flags.format == "yaml" && !flags.field.empty())
    return fail(console, "--field can't be used with -o yaml: use -o text or -o json");
  Options options = to_options(flags.input);
  options.with_defaults = flags.with_defaults;
  options.policy.ssh_key = unshown_key();
  const explain::Format format = format_of(flags.format);
  const bool by_field = format != explain::Format::Yaml;
  const explain::FieldSelector field(flags.field);
  Explanation explanation({format, {field, by_field}, console.stdout_width(), options.threads});
  const auto compiled = compile_inputs(console, flags.input, flags.colour, options,
                                       {.sink_of = explanation.sinks(), .notes_no_job = false});
  if (!compiled) return kFailed;
  if (!explanation.write(console, compiled->all)) return fail(console, "can't write the output");
  if (compiled->rejected) return kRejected;
  if (explanation.is_empty() && !compiled->all.collected.empty()) {
    note(console, fmt::format("no rendered field's path {} \"{}\"",
                              field.is_json_path() ? "matches" : "contains", flags.field));
  }
  return kOk;
}

}  // namespace

std::function<int(Console&)> setup_explain(Command& command) {
  auto flags = std::make_shared<ExplainFlags>();
  flags->input.add_to(command);
  flags->input.add_deployed_to(command, "Explain");
  command
      .add("--field", &flags->field,
           "Only fields whose path contains this text, such as env or PET_NNODES, or that this JSONPath "
           "selects, such as ..image or '.spec.*.name'")
      .takes("FIELD");
  command.add("--with-defaults", &flags->with_defaults,
              "Explain the JobSet with the defaults that JobSet admission adds");
  command.add("-o,--format", &flags->format, "Output format; the default is yaml, or text with --field")
      .one_of({"yaml", "text", "json"})
      .was("--output");
  flags->colour.add_to(command);
  command.details = {
      "Prints what render prints, with a comment after each field: its place in the inputs and, if it was "
      "not only copied, the rule that computed it. With --field, prints one line per field. A value that the "
      "job's overrides or a rule replaced is shown with the values before it: of the runtime, and after each "
      "override. What LimitRanges of the inputs give to the containers of the pods is explained, too."};
  command.exit_statuses = {{0, "explained"}, {1, "an input was rejected"}, {2, "usage or I/O error"}};
  command.examples = {"trainjobc explain jobs/ml-research/bert-pretrain.yaml",
                      "trainjobc explain jobs/ --job ml-research/bert-pretrain --field image",
                      "trainjobc explain jobs/ --job bert-pretrain --field PET_NNODES -o json",
                      "trainjobc explain jobs/ --job bert-pretrain --field ..resources"};
  return [flags](Console& console) { return run_explain(console, *flags); };
}

}  // namespace trainjobc::cli
