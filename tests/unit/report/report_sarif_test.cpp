// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/version.h"
#include "compile/explanations.h"
#include "rules/rules.h"
#include "support/findings.h"

namespace trainjobc::report_sarif_test {
using nlohmann::ordered_json;
using trainjobc::base::Diagnostic;
using trainjobc::base::SourceFile;
using trainjobc::lint::ReportFormat;
using trainjobc::rules::all_rules;
using trainjobc::test::Findings;

namespace {

ordered_json results(const Findings& findings, const trainjobc::lint::Repository& repository = {}) {
  return ordered_json::parse(findings.report(ReportFormat::Sarif, repository))["runs"][0]["results"];
}

// What changes with the registry.
ordered_json without_index(ordered_json result) {
  const size_t index = result["ruleIndex"];
  CHECK(all_rules()[index].id == result["ruleId"].get<std::string>());
  result.erase("ruleIndex");
  return result;
}

std::string uri(const std::string& file_name, const trainjobc::lint::Repository& repository) {
  const SourceFile file(file_name, "x: 1\n");
  Findings findings;
  Diagnostic d = findings.unknown_field();
  d.location = {&file, 1, 1, 1, 2};
  findings.found.add(d);
  return results(findings, repository)[0]["locations"][0]["physicalLocation"]["artifactLocation"].dump();
}

}  // namespace

TEST_CASE("report sarif: when clean, a run with all rules and no results") {
  ordered_json log = ordered_json::parse(Findings().report(ReportFormat::Sarif));
  const ordered_json rules = log["runs"][0]["tool"]["driver"]["rules"];
  REQUIRE(rules.size() == all_rules().size());
  for (size_t i = 0; i < rules.size(); ++i) {
    CHECK(rules[i]["id"] == all_rules()[i].id);
    CHECK(rules[i]["shortDescription"]["text"] == all_rules()[i].summary);
    CHECK(rules[i]["help"]["text"] == trainjobc::compile::explanation_of(all_rules()[i]));
  }
  log["runs"][0]["tool"]["driver"].erase("rules");
  const std::string version(trainjobc::base::kVersion);
  CHECK(log.dump() == R"({"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0",)"
                      R"("runs":[{"tool":{"driver":{"name":"trainjobc","semanticVersion":")" +
                          version + R"("}},"columnKind":"utf16CodeUnits","results":[]}]})");
}

TEST_CASE("report sarif: a rule with its help as text and as Markdown") {
  const ordered_json log = ordered_json::parse(Findings().report(ReportFormat::Sarif));
  const ordered_json rules = log["runs"][0]["tool"]["driver"]["rules"];
  const auto* rule = trainjobc::rules::find_rule("yaml/merge");
  REQUIRE(rule);
  const ordered_json& merge = rules[static_cast<size_t>(rule - all_rules().data())];
  CHECK(merge["defaultConfiguration"].dump() == R"({"level":"error"})");
  const std::string prose = merge["fullDescription"]["text"];
  CHECK(
      prose ==
      R"("<<" copies the entries of another map into this one. Its value must be a map or a list of maps, usually given as aliases. Anything else can't be merged, and the file is refused. Point it at an anchored map.)");
  const std::string markdown = merge["help"]["markdown"];
  CHECK(
      markdown ==
      R"("\<\<" copies the entries of another map into this one. Its value must be a map or a list of maps, usually given as aliases. Anything else can't be merged, and the file is refused. Point it at an anchored map.

```yaml
<<: *defaults
```
)");
}

TEST_CASE("report sarif: a result with a fix") {
  Findings findings;
  findings.found.add(findings.unknown_field());
  const ordered_json found = results(findings);
  REQUIRE(found.size() == 1);
  CHECK(without_index(found[0]).dump(2) == R"({
  "ruleId": "input/unknown-field",
  "level": "error",
  "message": {
    "text": "unknown field \"resourcePerNode\" in spec.trainer; did you mean \"resourcesPerNode\"?"
  },
  "locations": [
    {
      "physicalLocation": {
        "artifactLocation": {
          "uri": "jobs/bert.yaml",
          "uriBaseId": "%SRCROOT%"
        },
        "region": {
          "startLine": 4,
          "startColumn": 5,
          "endLine": 4,
          "endColumn": 20
        }
      }
    }
  ],
  "partialFingerprints": {
    "primaryLocationLineHash": "237ea07719a5c8e2:1"
  },
  "fixes": [
    {
      "description": {
        "text": "did you mean \"resourcesPerNode\"?"
      },
      "artifactChanges": [
        {
          "artifactLocation": {
            "uri": "jobs/bert.yaml",
            "uriBaseId": "%SRCROOT%"
          },
          "replacements": [
            {
              "deletedRegion": {
                "startLine": 4,
                "startColumn": 5,
                "endLine": 4,
                "endColumn": 20
              },
              "insertedContent": {
                "text": "resourcesPerNode"
              }
            }
          ]
        }
      ]
    }
  ],
  "properties": {
    "object": "TrainJob/default/bert",
    "field": "spec.trainer.resourcePerNode"
  }
})");
}

TEST_CASE("report sarif: a result with a note, its columns in UTF-16") {
  Findings findings;
  findings.found.add(findings.gpu_limit());
  const ordered_json result = results(findings)[0];
  CHECK(result["level"] == "warning");
  CHECK(result["locations"][0]["physicalLocation"]["region"].dump() ==
        R"({"startLine":2,"startColumn":21,"endLine":2,"endColumn":24})");
  CHECK(
      result["relatedLocations"].dump() ==
      R"([{"physicalLocation":{"artifactLocation":{"uri":"jobs/llama.yaml","uriBaseId":"%SRCROOT%"},)"
      R"("region":{"startLine":1,"startColumn":7,"endLine":1,"endColumn":15}},"message":{"text":"the job"}}])");
  CHECK_FALSE(result.contains("fixes"));
}

TEST_CASE("report sarif: every finding has a place: its object's, else the first file's") {
  const SourceFile built_in("catalogue/v2.3/torch-distributed.yaml", "x: 1\n");
  Findings findings;
  Diagnostic d = findings.ssh_key();
  d.object = "TrainingRuntime/default/torch";
  d.location = {&built_in, 1, 1, 1, 2};
  findings.found.add(d);
  d.object = "";
  d.location = {};
  d.notes = {{"the runtime", {&built_in, 1, 1, 1, 2}}};
  findings.found.add(d);
  findings.found.add(findings.priority_class());
  const ordered_json found = results(findings);
  const auto place = [&](size_t i) {
    const ordered_json& at = found[i]["locations"][0]["physicalLocation"];
    return at["artifactLocation"]["uri"].get<std::string>() + " " + at["region"].dump();
  };
  CHECK(place(0) == R"(jobs/llama.yaml {"startLine":9,"startColumn":1,"endLine":9,"endColumn":1})");
  CHECK(place(1) == R"(jobs/bert.yaml {"startLine":1,"startColumn":1,"endLine":1,"endColumn":1})");
  CHECK(place(2) == R"(jobs/llama.yaml {"startLine":1,"startColumn":1,"endLine":1,"endColumn":1})");
  CHECK(found[1]["relatedLocations"].dump() ==
        R"([{"message":{"text":"the runtime at catalogue/v2.3/torch-distributed.yaml:1"}}])");
  CHECK(found[2]["level"] == "note");
}

TEST_CASE("report sarif: paths are URIs from the repository's root") {
  const std::string base = R"(,"uriBaseId":"%SRCROOT%"})";
  CHECK(uri("./a/../b c%é.yaml", {}) == R"({"uri":"b%20c%25%C3%A9.yaml")" + base);
  CHECK(uri("a:b.yaml", {}) == R"({"uri":"a%3Ab.yaml")" + base);
  CHECK(uri("<stdin>", {"/repo", "/repo/x"}) == R"({"uri":"%3Cstdin%3E")" + base);
  CHECK(uri("x.yaml", {"/repo", "/repo/jobs"}) == R"({"uri":"jobs/x.yaml")" + base);
  CHECK(uri("../x.yaml", {"/repo", "/repo/jobs/"}) == R"({"uri":"x.yaml")" + base);
  CHECK(uri("/repo/jobs/x.yaml", {"/repo/", "/repo"}) == R"({"uri":"jobs/x.yaml")" + base);
  CHECK(uri("/elsewhere/x.yaml", {"/repo", "/repo"}) == R"({"uri":"file:///elsewhere/x.yaml"})");
}

TEST_CASE("report sarif: fingerprints don't depend on the lines above, and distinguish findings") {
  const auto fingerprints = [](const std::string& text) {
    const SourceFile file("a.yaml", text);
    Findings findings;
    for (uint32_t line = 1; line <= file.line_count(); ++line) {
      if (file.line(line).find("gpu: 4") == std::string_view::npos) continue;
      Diagnostic d = findings.gpu_limit();
      d.location = {&file, line, 1, line, 4};
      findings.found.add(d);
      d.rule = "job/resources";
      findings.found.add(d);
    }
    std::vector<std::string> out;
    for (const ordered_json& result : results(findings)) {
      out.push_back(result["partialFingerprints"]["primaryLocationLineHash"]);
    }
    return out;
  };
  const auto before = fingerprints("gpu: 4\n");
  REQUIRE(before.size() == 2);
  CHECK(before[0] != before[1]);
  CHECK(fingerprints("# new\nx:\n  gpu: 4\n") == before);
  const auto twice = fingerprints("gpu: 4\ngpu: 4\n");
  REQUIRE(twice.size() == 4);
  CHECK(twice[0] == before[0]);
  CHECK(twice[2] == before[0].substr(0, before[0].size() - 1) + "2");
}

TEST_CASE("report sarif: a deletion has no text, an insertion an empty region") {
  Findings findings;
  Diagnostic d = findings.unknown_field();
  d.hint = "";
  d.fix = {{{&findings.bert, 3, 1, 4, 1}, ""}, {{&findings.llama, 1, 1, 1, 1}, "# x\n"}};
  findings.found.add(d);
  d.fix.push_back({{}, "half of it can't be shown"});
  findings.found.add(d);
  const ordered_json found = results(findings);
  CHECK_FALSE(found[0]["fixes"][0].contains("description"));
  const ordered_json& changes = found[0]["fixes"][0]["artifactChanges"];
  REQUIRE(changes.size() == 2);
  CHECK(changes[0]["replacements"].dump() ==
        R"([{"deletedRegion":{"startLine":3,"startColumn":1,"endLine":4,"endColumn":1}}])");
  CHECK(changes[1]["replacements"].dump() ==
        R"([{"deletedRegion":{"startLine":1,"startColumn":1,"endLine":1,"endColumn":1},)"
        R"("insertedContent":{"text":"# x\n"}}])");
  CHECK_FALSE(found[1].contains("fixes"));
}

}  // namespace trainjobc::report_sarif_test
