// SPDX-License-Identifier: Apache-2.0

#include <nlohmann/json.hpp>

#include "features/diff/cost.h"
#include "features/diff/difference_text.h"
#include "features/diff/format/formats.h"

namespace trainjobc::diff {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const yaml::Node* value) {
  return value ? ordered_json::parse(value_text(value), nullptr, false) : ordered_json(nullptr);
}

ordered_json to_json(const base::Diagnostic& d) {
  const base::Location& at = d.location;
  return {{"rule", d.rule},
          {"field", d.field},
          {"message", d.message},
          {"hint", d.hint},
          {"file", at.file ? at.file->name() : ""},
          {"line", at.line},
          {"column", at.column}};
}

ordered_json to_json(const Acceptance& acceptance) {
  ordered_json json;
  json["object"] = acceptance.object;
  json["verdict"] = to_string(acceptance.verdict);
  json["cause"] = acceptance.cause;
  json["diagnostics"] = ordered_json::array();
  for (const base::Diagnostic& refusal : acceptance.refusals) json["diagnostics"].push_back(to_json(refusal));
  return json;
}

ordered_json to_json(const ObjectDiff& object, const Difference& difference) {
  ordered_json json;
  json["object"] = object.id;
  json["path"] = difference.name;
  json["kind"] = to_string(difference.kind);
  json["live"] = to_json(difference.live);
  json["rendered"] = to_json(difference.rendered);
  json["file"] = difference.location.file ? difference.location.file->name() : "";
  json["line"] = difference.location.line;
  json["column"] = difference.location.column;
  json["rule"] = difference.rule;
  json["manager"] = difference.manager;
  json["refusal"] = difference.refusal;
  json["remedy"] = difference.remedy;
  return json;
}

ordered_json to_json(const Cost& cost) {
  ordered_json requests = ordered_json::object();
  for (const auto& [resource, amount] : cost.requests) requests[resource] = amount.to_string();
  return {{"namespace", cost.ns}, {"pods", cost.pods}, {"requests", std::move(requests)}};
}

}  // namespace

std::string format_json(const Report& report, const FormatOptions& options) {
  ordered_json differences = ordered_json::array();
  for (const ObjectDiff& object : report.objects) {
    for (const Difference& difference : object.differences) {
      if (difference.kind == DifferenceKind::Ignored && !options.show_ignored) continue;
      differences.push_back(to_json(object, difference));
    }
  }
  ordered_json json;
  json["differences"] = std::move(differences);
  json["summary"] = {
      {"jobs", report.jobs}, {"differing", report.differing_jobs()}, {"orphaned", report.orphans()}};
  json["cost"] = ordered_json::array();
  for (const Cost& cost : costs_of(report)) json["cost"].push_back(to_json(cost));
  if (!report.new_version.empty()) {
    json["fromVersion"] = report.old_version;
    json["toVersion"] = report.new_version;
    json["acceptance"] = ordered_json::array();
    for (const Acceptance& acceptance : report.acceptances) json["acceptance"].push_back(to_json(acceptance));
  }
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace trainjobc::diff
