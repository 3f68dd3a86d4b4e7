// SPDX-License-Identifier: Apache-2.0

#include "cli/help/man.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text/ascii.h"
#include "base/text/lines.h"
#include "cli/command_tree.h"
#include "cli/exit_status.h"
#include "base/version.h"

namespace trainjobc::cli {
namespace {

constexpr std::string_view kEnvironment =
    ".SH ENVIRONMENT\n"
    ".TP\n.B TRAINJOBC_CONFIG\nThe configuration file, like \\fB\\-\\-config\\fR.\n"
    ".TP\n.B TRAINJOBC_TRAINER_VERSION\nLike \\fB\\-\\-trainer\\-version\\fR.\n"
    ".TP\n.B TRAINJOBC_RUNTIMES\nA file or directory, like \\fB\\-\\-runtimes\\fR.\n"
    ".TP\n.B TRAINJOBC_FAIL_ON\nLike \\fB\\-\\-fail\\-on\\fR of lint.\n"
    ".TP\n.B TRAINJOBC_SSH_KEY_DIR\nLike \\fB\\-\\-ssh\\-key\\-dir\\fR.\n"
    ".TP\n.BR NO_COLOR \", \" CLICOLOR_FORCE\nNo colour, or colour if the output is not a terminal.\n"
    ".SH FILES\n"
    ".TP\n.I .trainjobc.yaml\n"
    "A repository's settings. trainjobc looks for the file from the current directory up to the root of the "
    "repository. Flags override environment variables, which override this file.\n";

// Text escaped for troff.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '`': out += "\\(ga"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      default: out += c;
    }
  }
  return !text.empty() && text.front() == '.' ? "\\&" + out : out;
}

std::string bold(std::string_view text) {
  return fmt::format("\\fB{}\\fR", escaped(text));
}

std::string page_name(const CLI::App& app) {
  std::string name = full_name(app);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string flag_entry(const FlagText& flag) {
  std::string names;
  for (const std::string& name : flag.names) names += (names.empty() ? "" : ", ") + bold(name);
  if (!flag.positional && !flag.value.empty()) {
    names +=
        flag.choices.empty() ? fmt::format(" \\fI{}\\fR", escaped(flag.value)) : " " + bold(value_text(flag));
  }
  std::string text = escaped(flag.description);
  if (!flag.default_value.empty()) text += fmt::format(" [{}]", escaped(flag.default_value));
  return fmt::format(".TP\n{}\n{}\n", names, text);
}

// A footer's prose is part of the description; "Examples:" and the indented lines below it are examples.
struct Footer {
  std::string prose;
  std::string examples;
};

Footer footer_of(const CLI::App& app) {
  Footer footer;
  const std::string& text = app.get_footer();
  for (const std::string_view line : base::Lines(text)) {
    if (line.starts_with("  ")) {
      footer.examples += escaped(line.substr(2)) + "\n";
    } else if (line.empty()) {
      if (!footer.prose.empty() && !footer.prose.ends_with(".PP\n")) footer.prose += ".PP\n";
    } else if (line != "Examples:") {
      footer.prose += escaped(line) + "\n";
    }
  }
  if (footer.prose.ends_with(".PP\n")) footer.prose.resize(footer.prose.size() - 4);
  return footer;
}

}  // namespace

std::string man_page(const CLI::App& app) {
  const Footer footer = footer_of(app);
  const std::string name = page_name(app);
  const std::string title = base::upper_case(name);
  std::string summary = app.get_description();
  summary = summary.substr(0, summary.find('\n'));
  std::string page = fmt::format(
      ".\\\" Made by the build from the descriptions that --help prints.\n"
      ".TH {} 1 {} \"trainjobc {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n",
      escaped(title), base::kVersionDate, base::kVersion, escaped(name), escaped(summary),
      bold(usage_line(app)));
  page += fmt::format(".SH DESCRIPTION\n{}.\n", escaped(app.get_description()));
  if (!footer.prose.empty()) page += ".PP\n" + footer.prose;
  if (!commands_of(app).empty()) page += ".SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app)) {
    page += fmt::format(".TP\n.BR {} (1)\n{}\n", escaped(page_name(*command)),
                        escaped(command->get_description()));
  }
  page += ".SH OPTIONS\n";
  for (const FlagText& flag : flags_of(app)) page += flag_entry(flag);
  if (!footer.examples.empty()) page += fmt::format(".SH EXAMPLES\n.nf\n{}.fi\n", footer.examples);
  page += kEnvironment;
  if (app.get_parent()) page += fmt::format(".SH SEE ALSO\n.BR {} (1)\n", page_name(*app.get_parent()));
  return page;
}

int write_man_pages(const CLI::App& root, const std::string& directory, Console& console) {
  if (const auto error = console.files().make_directory(directory)) return fail(console, error->message);
  std::vector<const CLI::App*> apps{&root};
  for (size_t i = 0; i < apps.size(); ++i) {
    const std::vector<const CLI::App*> below = commands_of(*apps[i]);
    apps.insert(apps.end(), below.begin(), below.end());
  }
  for (const CLI::App* app : apps) {
    const std::string path = fmt::format("{}/{}.1", directory, page_name(*app));
    if (const auto error = console.files().write(path, man_page(*app), 0666))
      return fail(console, error->message);
  }
  return kOk;
}

}  // namespace trainjobc::cli
