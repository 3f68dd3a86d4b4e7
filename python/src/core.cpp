// SPDX-License-Identifier: Apache-2.0

// trainjobc._core: the public C++ API for Python. Values go in and out as they are; the classes that users
// see are made of them in python/trainjobc. Each call lets other threads run.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <trainjobc/trainjobc.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// name, text, whether it has lines
using Text = std::tuple<std::string, std::string, bool>;

std::vector<trainjobc::Manifests> to_manifests(std::vector<Text> texts) {
  std::vector<trainjobc::Manifests> manifests;
  manifests.reserve(texts.size());
  for (auto& [name, text, has_lines] : texts)
    manifests.push_back({std::move(name), std::move(text), has_lines});
  return manifests;
}

// A list as a tuple, which nobody can change.
template <class Items, class Make>
nb::tuple tuple_of(const Items& items, const Make& make) {
  nb::list list;
  for (const auto& item : items) list.append(make(item));
  return nb::tuple(list);
}

nb::object text_or_none(const std::string& text) {
  return text.empty() ? nb::none() : nb::cast(text);
}

nb::object number_or_none(uint32_t number) {
  return number == 0 ? nb::none() : nb::cast(number);
}

nb::dict from(const trainjobc::Place& place) {
  nb::dict dict;
  dict["file"] = text_or_none(place.file);
  dict["line"] = number_or_none(place.line);
  dict["column"] = number_or_none(place.column);
  dict["end_line"] = number_or_none(place.end_line);
  dict["end_column"] = number_or_none(place.end_column);
  dict["path"] = text_or_none(place.field);
  return dict;
}

nb::dict from(const trainjobc::Note& note) {
  nb::dict dict;
  dict["message"] = note.message;
  dict["place"] = from(note.place);
  return dict;
}

nb::dict from(const trainjobc::Fix& fix) {
  nb::dict dict;
  dict["place"] = from(fix.place);
  dict["text"] = fix.text;
  return dict;
}

nb::dict from(const trainjobc::Finding& finding) {
  nb::dict dict;
  dict["rule"] = finding.rule;
  dict["stage"] = finding.stage;
  dict["severity"] = trainjobc::to_string(finding.level);
  dict["is_refusal"] = finding.is_refusal;
  dict["object"] = finding.object;
  dict["field"] = finding.field;
  dict["message"] = finding.message;
  dict["hint"] = finding.hint;
  dict["place"] = from(finding.place);
  dict["notes"] = tuple_of(finding.notes, [](const trainjobc::Note& note) { return from(note); });
  dict["fixes"] = tuple_of(finding.fixes, [](const trainjobc::Fix& fix) { return from(fix); });
  dict["fixes_are_safe"] = finding.fixes_are_safe;
  dict["text"] = finding.text;
  return dict;
}

nb::tuple from(const std::vector<trainjobc::Finding>& findings) {
  return tuple_of(findings, [](const trainjobc::Finding& finding) { return from(finding); });
}

nb::dict from(const trainjobc::RenderedObject& object) {
  nb::dict dict;
  dict["api_version"] = object.api_version;
  dict["kind"] = object.kind;
  dict["namespace"] = object.object_namespace;
  dict["name"] = object.name;
  dict["train_job"] = object.train_job;
  dict["yaml"] = object.yaml;
  dict["json"] = object.json;
  return dict;
}

nb::dict from(const trainjobc::Rendering& rendering) {
  nb::dict dict;
  dict["manifests"] =
      tuple_of(rendering.objects, [](const trainjobc::RenderedObject& object) { return from(object); });
  dict["findings"] = from(rendering.findings);
  dict["trainer_version"] = rendering.trainer_version;
  return dict;
}

nb::dict from(const trainjobc::LintReport& report) {
  nb::dict dict;
  dict["findings"] = from(report.findings);
  dict["trainer_version"] = report.trainer_version;
  return dict;
}

nb::dict from(const trainjobc::EarlierValue& earlier) {
  nb::dict dict;
  dict["step"] = earlier.step;
  dict["value"] = earlier.value;
  dict["place"] = from(earlier.place);
  return dict;
}

nb::dict from(const trainjobc::FieldOrigin& field) {
  nb::dict dict;
  dict["path"] = field.path;
  dict["value"] = field.value;
  dict["rule"] = text_or_none(field.rule);
  dict["place"] = from(field.place);
  dict["earlier"] =
      tuple_of(field.earlier, [](const trainjobc::EarlierValue& earlier) { return from(earlier); });
  dict["line"] = number_or_none(field.line);
  return dict;
}

nb::dict from(const trainjobc::ExplainedObject& object) {
  nb::dict dict;
  dict["id"] = object.id;
  dict["yaml"] = object.yaml;
  dict["fields"] = tuple_of(object.fields, [](const trainjobc::FieldOrigin& field) { return from(field); });
  return dict;
}

nb::dict from(const trainjobc::Explanation& explanation) {
  nb::dict dict;
  dict["objects"] =
      tuple_of(explanation.objects, [](const trainjobc::ExplainedObject& object) { return from(object); });
  dict["findings"] = from(explanation.findings);
  dict["trainer_version"] = explanation.trainer_version;
  return dict;
}

nb::dict from(const trainjobc::Report& report) {
  nb::dict dict;
  dict["text"] = report.text;
  dict["markdown"] = report.markdown;
  dict["json"] = report.json;
  dict["findings"] = from(report.findings);
  dict["trainer_version"] = report.trainer_version;
  return dict;
}

nb::dict from(const trainjobc::Difference& difference) {
  nb::dict dict = from(difference.report);
  dict["differs"] = difference.differs;
  return dict;
}

nb::dict from(const trainjobc::Migration& migration) {
  nb::dict dict;
  dict["files"] = tuple_of(migration.files, [](const trainjobc::MigratedFile& file) {
    nb::dict one;
    one["name"] = file.name;
    one["old_text"] = file.old_text;
    one["new_text"] = file.new_text;
    return one;
  });
  dict["findings"] = from(migration.findings);
  dict["difference"] = from(migration.difference);
  return dict;
}

nb::dict from(const trainjobc::Composition& composition) {
  nb::dict dict;
  dict["yaml"] = composition.yaml;
  dict["notes"] = tuple_of(composition.notes, [](const std::string& note) { return nb::cast(note); });
  dict["findings"] = from(composition.findings);
  dict["trainer_version"] = composition.trainer_version;
  return dict;
}

// What `compute` returns, computed while other threads run. An invalid request is a ValueError.
template <class Compute>
nb::dict call(const Compute& compute) {
  auto answer = [&] {
    const nb::gil_scoped_release others_run;
    return compute();
  }();
  if (const auto* invalid = std::get_if<trainjobc::InvalidRequest>(&answer))
    throw nb::value_error(invalid->message.c_str());
  return from(std::get<0>(answer));
}

trainjobc::SshKey to_ssh_key(std::string_view word) {
  if (word == "omit") return trainjobc::SshKey::Omit;
  if (word == "file") return trainjobc::SshKey::FromFile;
  if (word == "seed") return trainjobc::SshKey::FromSeed;
  return trainjobc::SshKey::Random;
}

void make_request(trainjobc::Request* self, std::vector<Text> inputs, std::vector<Text> runtimes,
                  std::string trainer_version, bool use_catalogue, bool with_defaults, bool owner_references,
                  std::string default_namespace, std::string name_suffix, std::string_view ssh_key,
                  std::string ssh_key_material, std::string settings, unsigned threads) {
  new (self) trainjobc::Request{.inputs = to_manifests(std::move(inputs)),
                                .runtimes = to_manifests(std::move(runtimes)),
                                .trainer_version = std::move(trainer_version),
                                .use_catalogue = use_catalogue,
                                .with_defaults = with_defaults,
                                .owner_references = owner_references,
                                .default_namespace = std::move(default_namespace),
                                .name_suffix = std::move(name_suffix),
                                .ssh_key = to_ssh_key(ssh_key),
                                .ssh_key_material = std::move(ssh_key_material),
                                .settings = std::move(settings),
                                .threads = threads};
}

nb::tuple catalogue() {
  return tuple_of(trainjobc::catalogue_runtimes(), [](const trainjobc::CatalogueRuntime& runtime) {
    return nb::make_tuple(runtime.trainer_version, runtime.name, runtime.yaml);
  });
}

}  // namespace

// NOLINTNEXTLINE: the macro is nanobind's
NB_MODULE(_core, module) {
  using trainjobc::Request;
  module.attr("version") = trainjobc::library_version();
  nb::class_<Request>(module, "Request")
      .def("__init__", &make_request, "inputs"_a, "runtimes"_a, nb::kw_only(), "trainer_version"_a = "auto",
           "use_catalogue"_a = true, "with_defaults"_a = false, "owner_references"_a = false,
           "namespace"_a = "", "name_suffix"_a = "", "ssh_key"_a = "random", "ssh_key_material"_a = "",
           "settings"_a = "", "threads"_a = 1U);
  module.def("render", [](const Request& request) {
    return call([&] { return trainjobc::render_manifests(request); });
  });
  module.def("lint",
             [](const Request& request) { return call([&] { return trainjobc::lint_manifests(request); }); });
  module.def("explain", [](const Request& request, std::string_view field) {
    return call([&] { return trainjobc::explain_manifests(request, field); });
  });
  module.def("plan", [](const Request& request, bool ranks, std::vector<Text> quota) {
    const trainjobc::PlanQuestion question{ranks, to_manifests(std::move(quota))};
    return call([&] { return trainjobc::plan_manifests(request, question); });
  });
  module.def("diff", [](const Request& before, const Request& after) {
    return call([&] { return trainjobc::diff_manifests(before, after); });
  });
  module.def("diff_versions", [](const Request& request, std::string_view before, std::string_view after) {
    return call([&] { return trainjobc::diff_versions(request, before, after); });
  });
  module.def("diff_live", [](const Request& request, std::vector<Text> live) {
    const auto objects = to_manifests(std::move(live));
    return call([&] { return trainjobc::diff_live(request, objects); });
  });
  module.def("migrate", [](const Request& request, std::string to, std::string manager,
                           std::string runtime_name, bool per_namespace, bool plain) {
    const trainjobc::MigrationQuestion question{.to = std::move(to),
                                                .manager = std::move(manager),
                                                .runtime_name = std::move(runtime_name),
                                                .per_namespace = per_namespace,
                                                .plain = plain};
    return call([&] { return trainjobc::migrate_manifests(request, question); });
  });
  module.def("compose", [](const Request& request, std::string job, int64_t nodes, int64_t processes,
                           std::string image, bool cpu, std::vector<std::string> mounts) {
    const trainjobc::ComposeQuestion question{.job = std::move(job),
                                              .nodes = nodes,
                                              .processes = processes,
                                              .image = std::move(image),
                                              .cpu = cpu,
                                              .mounts = std::move(mounts)};
    return call([&] { return trainjobc::compose_manifests(request, question); });
  });
  module.def("catalogue", &catalogue);
  module.def("trainer_versions", &trainjobc::trainer_versions);
  module.def("newest_trainer_version", &trainjobc::newest_trainer_version);
}
