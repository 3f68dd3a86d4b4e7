// SPDX-License-Identifier: Apache-2.0
// The settings of .trainjobc.yaml, for the cursor; tests/unit/tools/lsp compares them with
// schema/trainjobc-config.json.
#include <algorithm>
#include <array>

#include "features/lsp/features/schema_words.h"

namespace trainjobc::lsp {
namespace {

using schema::Property;
using schema::Schema;
using schema::Type;

constexpr std::array<std::string_view, 3> kLevels{"error", "warning", "never"};
constexpr std::array<std::string_view, 4> kSeverities{"error", "warning", "info", "off"};
constexpr std::array<std::string_view, 3> kNeeded{"rule", "paths", "reason"};

constexpr Schema kText{.type = Type::String};
constexpr Schema kFlag{.type = Type::Boolean};
constexpr Schema kTexts{.type = Type::Array, .items = &kText};
constexpr Schema kLevel{.type = Type::String, .enums = kLevels};
constexpr Schema kSeverity{.type = Type::String, .enums = kSeverities};
constexpr Schema kRules{.type = Type::Object, .additional = &kSeverity};
constexpr std::array kSuppressionFields = std::to_array<Property>({{.name = "paths", .schema = &kTexts},
                                                                   {.name = "reason", .schema = &kText},
                                                                   {.name = "rule", .schema = &kText}});
constexpr Schema kSuppression{.type = Type::Object, .properties = kSuppressionFields, .required = kNeeded};
constexpr Schema kSuppressions{.type = Type::Array, .items = &kSuppression};
constexpr std::array kSettings = std::to_array<Property>({{.name = "catalogue", .schema = &kFlag},
                                                          {.name = "exclude", .schema = &kTexts},
                                                          {.name = "failOn", .schema = &kLevel},
                                                          {.name = "namespace", .schema = &kText},
                                                          {.name = "rules", .schema = &kRules},
                                                          {.name = "runtimes", .schema = &kTexts},
                                                          {.name = "suppress", .schema = &kSuppressions},
                                                          {.name = "trainerVersion", .schema = &kText}});
constexpr Schema kConfiguration{.type = Type::Object, .properties = kSettings};

struct SettingText {
  std::string_view path;
  std::string_view text;
};
constexpr std::array kSettingTexts = std::to_array<SettingText>({
    {"catalogue", "Whether to resolve runtimes from the built-in catalogue"},
    {"exclude", "Globs of files and folders to skip, relative to this file"},
    {"failOn", "Lowest severity for which lint exits with status 1"},
    {"namespace", "Namespace for TrainJobs without one"},
    {"rules", "Severities of rules"},
    {"runtimes", "Files and directories with runtimes, relative to this file"},
    {"suppress", "Findings to suppress"},
    {"suppress.paths", "Globs relative to this file"},
    {"trainerVersion", "Kubeflow Trainer version to compile for"},
});

}  // namespace

const Schema& configuration_schema() {
  return kConfiguration;
}

std::string_view configuration_description(std::string_view path) {
  const auto found = std::ranges::find(kSettingTexts, path, &SettingText::path);
  return found != kSettingTexts.end() ? found->text : std::string_view();
}

}  // namespace trainjobc::lsp
