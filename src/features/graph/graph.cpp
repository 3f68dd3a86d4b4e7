// SPDX-License-Identifier: Apache-2.0

#include "features/graph/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text/text.h"
#include "features/objects/pods.h"
#include "features/plan/plan.h"
#include "k8s/jobset/jobset.h"
#include "secret/secret.h"
#include "yaml/node.h"
#include "yaml/write/writer.h"

namespace trainjobc::graph {
namespace {

using k8s::jobset::JobSetView;
using k8s::jobset::ReplicatedJob;
using yaml::items_at;
using yaml::Node;
using yaml::text_at;
using yaml::value_at;

std::string title_of(const JobGraph& job) {
  return job.scope.empty() ? job.title : fmt::format("{}: {}", job.scope, job.title);
}

// Images are long, and their ends are the most informative.
constexpr size_t kWidestImage = 44;

std::string short_image(std::string_view image) {
  while (image.size() > kWidestImage) {
    const size_t slash = image.find('/');
    if (slash == std::string_view::npos || slash + 1 == image.size()) break;
    image.remove_prefix(slash + 1);
  }
  return std::string(image);
}

std::string amounts_text(const objects::Amounts& amounts) {
  std::vector<std::string> parts;
  for (const std::string& resource : objects::in_order(amounts))
    parts.push_back(fmt::format("{} {}", amounts.find(resource)->second.to_string(), resource));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// A kind of volume that outlives the pod or is on another machine, and what the picture calls it.
struct VolumeKind {
  std::string_view field;
  std::string_view name;  // the field that contains its name
  std::string_view words;
  Shape shape = Shape::Volume;
};
constexpr std::array kVolumeKinds = std::to_array<VolumeKind>({
    {"persistentVolumeClaim", "claimName", "PersistentVolumeClaim"},
    {"secret", "secretName", "Secret", Shape::Secret},
    {"configMap", "name", "ConfigMap", Shape::ConfigMap},
    {"hostPath", "path", "host path"},
    {"nfs", "path", "NFS"},
    {"csi", "driver", "CSI volume"},
    {"ephemeral", "", "ephemeral volume"},
});

class JobDrawer {
 public:
  JobDrawer(const plan::JobPlan& planned, const Object& job_set) : planned_(planned), job_set_(job_set) {
    graph_.title = fmt::format("TrainJob {}/{}", planned.ns, planned.name);
  }

  JobGraph draw(const Object* pod_group) {
    const JobSetView view = k8s::jobset::view_job_set(*job_set_.root);
    const size_t job = add_job();
    for (size_t i = 0; i < view.jobs.size(); ++i) pods_[view.jobs[i].name] = add_pods(view.jobs[i], i);
    add_order(view, job);
    if (pod_group) add_gang(*pod_group, view);
    add_service(view);
    add_claims(view);
    for (const ReplicatedJob& replicated_job : view.jobs) {
      if (replicated_job.pod_spec) add_pod_spec(*replicated_job.pod_spec, pods_[replicated_job.name]);
    }
    return std::move(graph_);
  }

 private:
  // Adds a box. Names come from the input: one that contains a key is shown without it.
  size_t add(Shape shape, std::vector<std::string> lines) {
    for (std::string& line : lines) line = secret::without_keys(line);
    graph_.boxes.push_back({shape, std::move(lines)});
    return graph_.boxes.size() - 1;
  }

  // Adds a box for something that several pods use, which is drawn only once. `what` tells apart things with
  // the same kind and name; most have none.
  size_t shared(Shape shape, std::string_view kind, std::string_view name, std::string what = {}) {
    const auto [at, is_new] = shared_.try_emplace({std::string(kind), std::string(name), std::move(what)}, 0);
    if (is_new) at->second = add(shape, {std::string(kind), std::string(name)});
    return at->second;
  }

  void arrow(size_t from, size_t to, std::string label, bool waits = false) {
    const auto [at, is_new] = arrows_.try_emplace({from, to, waits}, graph_.arrows.size());
    const bool is_new_label = labels_.emplace(at->second, label).second;
    if (is_new) {
      graph_.arrows.push_back({from, to, std::move(label), waits});
    } else if (is_new_label && !label.empty()) {
      graph_.arrows[at->second].label += ", " + label;
    }
  }

  size_t add_job() {
    const std::string kind(text_at(*job_set_.train_job, {"spec", "runtimeRef", "kind"}));
    const size_t job =
        add(Shape::Job, {fmt::format("TrainJob {}", planned_.name),
                         fmt::format("{} {}", kind.empty() ? "runtime" : kind, planned_.runtime)});
    if (!planned_.queue.empty()) {
      const size_t queue = add(Shape::Queue, {"queue", planned_.queue});
      arrow(queue, job, "", true);
    }
    return job;
  }

  size_t add_pods(const ReplicatedJob& job, size_t index) {
    const objects::PodSet& set = planned_.pod_sets[index];
    std::vector<std::string> lines{fmt::format("{}: {}", job.name, base::counted(set.pods, "pod"))};
    if (!job.pod_spec) return add(Shape::Pods, std::move(lines));
    for (const Node* container : items_at(*job.pod_spec, "containers"))
      lines.push_back(short_image(secret::without_keys(text_at(*container, "image"))));
    if (!set.per_pod.empty()) lines.push_back(amounts_text(set.per_pod) + (set.pods == 1 ? "" : " each"));
    for (const Node* volume : items_at(*job.pod_spec, "volumes")) {
      const Node* empty = volume->get("emptyDir");
      if (empty && value_at(*empty, {"medium"}) == "Memory")
        lines.push_back(fmt::format("{}: in memory{}", text_at(*volume, "name"), size_of(*empty)));
    }
    return add(Shape::Pods, std::move(lines));
  }

  static std::string size_of(const Node& empty_dir) {
    const std::string_view size = value_at(empty_dir, {"sizeLimit"});
    return size.empty() ? "" : fmt::format(", {}", size);
  }

  // Adds arrows for the order in which replicatedJobs start: dependsOn, or the startup policy; the others
  // start with the job.
  void add_order(const JobSetView& view, size_t job) {
    const bool in_order = value_at(*view.spec, {"startupPolicy", "startupPolicyOrder"}) == "InOrder";
    size_t before = job;
    for (const ReplicatedJob& replicated_job : view.jobs) {
      const size_t pods = pods_[replicated_job.name];
      const auto dependencies = items_at(*replicated_job.node, "dependsOn");
      for (const Node* dependency : dependencies) {
        const auto other = pods_.find(text_at(*dependency, "name"));
        if (other != pods_.end())
          arrow(other->second, pods, fmt::format("when {}", text_at(*dependency, "status")), true);
      }
      if (!dependencies.empty()) continue;
      arrow(in_order ? before : job, pods, in_order && before != job ? "when ready" : "", true);
      before = pods;
    }
  }

  void add_gang(const Object& pod_group, const JobSetView& view) {
    const size_t gang = add(
        Shape::Gang, {"PodGroup " + std::string(pod_group.name),
                      fmt::format("at least {}", base::counted(planned_.gang_minimum.value_or(0), "pod"))});
    for (const ReplicatedJob& job : view.jobs) arrow(pods_[job.name], gang, "");
  }

  void add_service(const JobSetView& view) {
    const auto serves = [&](const ReplicatedJob& job) {
      return job.pod_spec &&
             std::ranges::any_of(items_at(*job.pod_spec, "containers"), [](const Node* container) {
               return !items_at(*container, "ports").empty();
             });
    };
    const bool is_used =
        planned_.nodes > 1 || !planned_.hostfile.empty() || std::ranges::any_of(view.jobs, serves);
    if (!objects::has_host_names(view) || !is_used) return;
    const size_t service =
        add(Shape::Service, {"headless Service", std::string(k8s::jobset::subdomain_of(view))});
    // Initializers connect to no other pod.
    for (const ReplicatedJob& job : view.jobs) {
      if (serves(job) || planned_.pod_sets.size() == 1 || !planned_.hostfile.empty())
        arrow(pods_[job.name], service, "");
    }
  }

  // Adds the claims that JobSet makes for the job.
  void add_claims(const JobSetView& view) {
    const auto policies = items_at(*view.spec, "volumeClaimPolicies");
    std::vector<std::set<std::string_view>> mounted;  // the volumes that each replicatedJob mounts
    for (const ReplicatedJob& job : view.jobs) {
      if (!policies.empty())
        mounted.push_back(job.pod_spec ? k8s::jobset::mounted_volumes(*job.pod_spec)
                                       : std::set<std::string_view>());
    }
    for (const Node* policy : policies) {
      for (const Node* claim : items_at(*policy, "templates")) {
        const std::string_view name = text_at(*claim, {"metadata", "name"});
        const std::string claim_name = k8s::jobset::claim_name(name, view.name);
        for (size_t i = 0; i < view.jobs.size(); ++i) {
          if (mounted[i].contains(name))
            arrow(pods_[view.jobs[i].name], shared(Shape::Volume, "PersistentVolumeClaim", claim_name), "");
        }
      }
    }
  }

  void add_source(const Node& volume, size_t pods) {
    for (const VolumeKind& kind : kVolumeKinds) {
      const Node* source = volume.get(kind.field);
      if (!source || source->is_null()) continue;
      std::string name(kind.name.empty() ? text_at(volume, "name") : text_at(*source, kind.name));
      std::string what;
      if (kind.field == "nfs") name = fmt::format("{}:{}", text_at(*source, "server"), name);
      if (kind.field == "csi") yaml::write_json(*source, yaml::KeyOrder::Kubernetes, 0, what);
      if (kind.field == "ephemeral") what = std::to_string(pods);  // a separate one per pod
      arrow(pods, shared(kind.shape, kind.words, name, std::move(what)),
            kind.shape == Shape::Volume ? "" : "mounts");
    }
    for (const Node* source : items_at(volume, {"projected", "sources"})) {
      for (const auto& [field, shape, words] : {std::tuple("secret", Shape::Secret, "Secret"),
                                                std::tuple("configMap", Shape::ConfigMap, "ConfigMap")}) {
        if (const Node* one = source->get(field))
          arrow(pods, shared(shape, words, text_at(*one, "name")), "mounts");
      }
    }
  }

  void add_env(const Node& container, size_t pods) {
    for (const auto& [of_one, of_all, shape, words] :
         {std::tuple("secretKeyRef", "secretRef", Shape::Secret, "Secret"),
          std::tuple("configMapKeyRef", "configMapRef", Shape::ConfigMap, "ConfigMap")}) {
      for (const Node* variable : items_at(container, "env")) {
        const std::string_view name = text_at(*variable, {"valueFrom", of_one, "name"});
        if (!name.empty()) arrow(pods, shared(shape, words, name), "env");
      }
      for (const Node* source : items_at(container, "envFrom")) {
        const std::string_view name = text_at(*source, {of_all, "name"});
        if (!name.empty()) arrow(pods, shared(shape, words, name), "env");
      }
    }
  }

  void add_pod_spec(const Node& pod_spec, size_t pods) {
    for (const std::string_view list : {"initContainers", "containers"}) {
      for (const Node* container : items_at(pod_spec, list)) add_env(*container, pods);
    }
    for (const Node* volume : items_at(pod_spec, "volumes")) add_source(*volume, pods);
    for (const Node* secret : items_at(pod_spec, "imagePullSecrets"))
      arrow(pods, shared(Shape::Secret, "Secret", text_at(*secret, "name")), "pulls images");
  }

  const plan::JobPlan& planned_;
  const Object& job_set_;
  JobGraph graph_;
  std::map<std::string_view, size_t> pods_;                                     // by replicatedJob
  std::map<std::tuple<std::string, std::string, std::string>, size_t> shared_;  // by kind, name, and what
  std::map<std::tuple<size_t, size_t, bool>, size_t> arrows_;                   // by {from, to, waits}
  std::set<std::pair<size_t, std::string>> labels_;                             // {arrow, label}
};

}  // namespace

JobGraph draw_job(std::span<const Object> objects) {
  const plan::JobPlan planned = plan::plan_job(objects, {});
  const Object* job_set = base::find(objects, "JobSet", &Object::kind);
  return JobDrawer(planned, *job_set).draw(base::find(objects, "PodGroup", &Object::kind));
}

namespace {

// Invisible, and separates two characters that would mean something together.
constexpr std::string_view kWordJoiner = "#8288;";

// The text with entities for characters that are special to Mermaid or HTML. Mermaid looks for formulas,
// icons and line breaks after it has replaced entities, and for directions and styles on the whole line
// before that.
std::string mermaid_text(std::string_view line) {
  const bool may_be_style =
      line.find("style") != std::string_view::npos || line.find("classDef") != std::string_view::npos;
  std::string text;
  for (size_t i = 0; i < line.size(); ++i) {
    const std::string_view rest = line.substr(i);
    switch (line[i]) {
      case '"': text += "#quot;"; break;
      case '#': text += "#35;"; break;
      case '<': text += "#lt;"; break;
      case '>': text += "#gt;"; break;
      case '&': text += "#amp;"; break;
      case '`': text += "#96;"; break;
      case '\\': text.append("#92;").append(rest.starts_with("\\n") ? kWordJoiner : ""); break;
      case '%': text += "#37;"; break;  // two of them and a brace begin a directive anywhere
      case '$': text.append("$").append(rest.starts_with("$$") ? kWordJoiner : ""); break;
      case ':':
        text.append(may_be_style ? "#58;" : ":").append(rest.starts_with(":fa-") ? kWordJoiner : "");
        break;
      case 'd': text += rest.starts_with("direction") ? "#100;" : "d"; break;
      default: text += static_cast<unsigned char>(line[i]) < 0x20 ? ' ' : line[i];
    }
  }
  return text;
}

// The lines as a label between quotes.
std::string quoted_label(const std::vector<std::string>& lines) {
  std::string label;
  for (const std::string& line : lines) label.append(label.empty() ? "" : "<br/>").append(mermaid_text(line));
  return fmt::format("\"{}\"", label);
}

// How a box is drawn: with a light fill and dark text, for light and dark pages.
struct Look {
  std::string_view open;  // brackets around Mermaid's label
  std::string_view close;
  std::string_view style;  // Mermaid's class
  std::string_view fill;
  std::string_view stroke;
  std::string_view dot;  // Graphviz' shape and style
};

constexpr std::string_view kRounded = "shape=box, style=\"rounded,filled\"";

// Must be in the order of Shape.
constexpr std::array kLooks = std::to_array<Look>({
    {"([", "])", "job", "#dbeafe", "#1d4ed8", kRounded},
    {"[", "]", "pods", "#ffffff", "#1d4ed8", "shape=box, style=filled"},
    {"{{", "}}", "secret", "#fee2e2", "#b91c1c", "shape=tab, style=filled"},
    {"[/", "/]", "config", "#fef9c3", "#a16207", "shape=note, style=filled"},
    {"[(", ")]", "volume", "#ede9fe", "#6d28d9", "shape=cylinder, style=filled"},
    {"(", ")", "service", "#dcfce7", "#15803d", kRounded},
    {"[[", "]]", "queue", "#e5e7eb", "#374151", "shape=box, peripheries=2, style=filled"},
    {"(", ")", "gang", "#ffedd5", "#c2410c", kRounded},
});

static_assert(kLooks.size() == static_cast<size_t>(Shape::Gang) + 1);

const Look& look_of(const Box& box) {
  return kLooks.at(static_cast<size_t>(box.shape));
}

std::string arrow_text(const Arrow& arrow) {
  const std::string_view line = arrow.waits ? "-->" : "-.->";
  return arrow.label.empty() ? std::string(line) : fmt::format("{}|{}|", line, quoted_label({arrow.label}));
}

}  // namespace

std::string format_mermaid(const std::vector<JobGraph>& jobs) {
  std::string out = "flowchart LR\n";
  for (const Look& look : kLooks)
    out += fmt::format("  classDef {} fill:{},stroke:{},color:#111\n", look.style, look.fill, look.stroke);
  for (size_t j = 0; j < jobs.size(); ++j) {
    const JobGraph& job = jobs[j];
    out += fmt::format("  subgraph j{}[{}]\n", j, quoted_label({title_of(job)}));
    for (size_t i = 0; i < job.boxes.size(); ++i) {
      const Look& look = look_of(job.boxes[i]);
      out += fmt::format("    j{}n{}{}{}{}:::{}\n", j, i, look.open, quoted_label(job.boxes[i].lines),
                         look.close, look.style);
    }
    for (const Arrow& arrow : job.arrows)
      out += fmt::format("    j{}n{} {} j{}n{}\n", j, arrow.from, arrow_text(arrow), j, arrow.to);
    out += "  end\n";
  }
  return out;
}

namespace {

// A quoted string of the DOT language, lines centred below each other.
std::string dot_label(const std::vector<std::string>& lines) {
  std::string label;
  for (const std::string& line : lines) {
    if (!label.empty()) label += "\\n";
    for (const char c : line) {
      if (c == '"' || c == '\\') label += '\\';
      if (c == '&') {
        label += "&amp;";  // a label may contain HTML entities
        continue;
      }
      label += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return fmt::format("\"{}\"", label);
}

constexpr std::string_view kUse = "style=dashed, color=\"#6b7280\", fontcolor=\"#374151\"";

// The labels above an arrow; the lowest line is the nearest to it.
std::string label_of(const Arrow& arrow) {
  return arrow.label.empty() ? "" : fmt::format("label={}, ", dot_label({arrow.label, " "}));
}

}  // namespace

std::string format_dot(const std::vector<JobGraph>& jobs) {
  std::string out =
      "digraph trainjobs {\n"
      "  rankdir=LR;\n"
      "  nodesep=0.4;\n"
      "  ranksep=0.7;\n"
      "  fontname=\"sans-serif\";\n"
      "  node [fontname=\"sans-serif\", fontsize=11];\n"
      "  edge [fontname=\"sans-serif\", fontsize=9];\n";
  // Graphviz draws the last one at the top.
  for (size_t j = jobs.size(); j-- > 0;) {
    const JobGraph& job = jobs[j];
    out += fmt::format("  subgraph cluster_{} {{\n    label={};\n    color=\"#9ca3af\";\n", j,
                       dot_label({title_of(job)}));
    for (size_t i = 0; i < job.boxes.size(); ++i) {
      const Look& look = look_of(job.boxes[i]);
      out += fmt::format("    j{}n{} [label={}, {}, fillcolor=\"{}\", color=\"{}\"];\n", j, i,
                         dot_label(job.boxes[i].lines), look.dot, look.fill, look.stroke);
    }
    for (const Arrow& arrow : job.arrows)
      out += fmt::format("    j{}n{} -> j{}n{} [{}{}];\n", j, arrow.from, j, arrow.to, label_of(arrow),
                         arrow.waits ? "style=solid" : kUse);
    out += "  }\n";
  }
  return out + "}\n";
}

base::IoResult<std::string> format_svg(const std::vector<JobGraph>& jobs, base::ProcessRunner& runner,
                                       std::chrono::seconds timeout) {
  auto ran = runner.run({.argv = {"dot", "-Tsvg"}, .input = format_dot(jobs), .timeout = timeout});
  if (const auto* error = std::get_if<base::IoError>(&ran)) {
    return base::IoError{
        fmt::format("SVG needs Graphviz ({}): install it, or use -o mermaid or -o dot", error->message)};
  }
  auto& result = std::get<base::ProcessResult>(ran);
  if (result.status == 0) return std::move(result.out);
  while (result.err.ends_with('\n')) result.err.pop_back();
  return base::IoError{
      fmt::format("dot ended with status {}: {}", result.status, secret::without_keys(result.err))};
}

}  // namespace trainjobc::graph
