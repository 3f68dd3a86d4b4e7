// SPDX-License-Identifier: Apache-2.0

// Charts as they are written: their templates and subcharts. Rendering is left to helm (helm/build.h).
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "base/files/file_system.h"
#include "base/source.h"
#include "secret/secret.h"

namespace trainjobc::helm {

// A chart on this machine, with the subcharts of its charts/ that are folders. Owns the files.
class Chart {
 public:
  const std::string& folder() const { return folder_; }
  // The template that helm's output calls "training/templates/job.yaml"; nullptr if it is in a packed chart.
  const base::SourceFile* find_template(std::string_view source) const;
  // The body of {{ define "name" }} in any of the templates; without a file if there is none.
  struct Body {
    const base::SourceFile* file = nullptr;
    size_t begin = 0;
    size_t end = 0;
  };
  Body find_definition(std::string_view name) const;
  // Where the value of `.Values.PATH` in this template is set: in the last of the values files that has it,
  // else in the values.yaml of a chart. Without a file if none has it.
  base::Location find_value(const base::SourceFile& from, std::string_view path) const;
  // Symbolic links in the chart.
  const std::vector<std::string>& links() const { return links_; }
  // The URL in a values.schema.json that helm would fetch; "" if there is none.
  const std::string& fetched() const { return fetched_; }
  // The secrets in the values files and in the charts' own values.
  secret::SecretTexts secrets() const;
  std::vector<const base::SourceFile*> templates() const;
  // The paths of the templates and the values files.
  std::vector<std::string> files() const;

 private:
  friend class ChartReader;

  std::string folder_;
  std::deque<base::SourceFile> sources_;
  std::map<std::string, const base::SourceFile*, std::less<>> templates_;  // by helm's name for the template
  std::map<const base::SourceFile*, std::string>
      charts_;  // for each template, the names of the charts around it: "training/tuner"
  std::map<std::string, const base::SourceFile*, std::less<>> defaults_;  // values.yaml, by those names
  std::vector<const base::SourceFile*> values_;  // the user's values files, the last one first
  std::map<std::string, Body, std::less<>> definitions_;
  std::vector<std::string> links_;
  std::string fetched_;
};

bool is_chart(const base::FileSystem& files, const std::string& folder);

// The keys of a path to a value: "a" and "b" for "a.b" and for "a.b.", which stands in comments; none for "".
std::vector<std::string_view> keys_of(std::string_view path);

// Reads a chart and its values files. The text says why it can't be read.
std::variant<std::shared_ptr<const Chart>, std::string> read_chart(const base::FileSystem& files,
                                                                   const std::string& folder,
                                                                   const std::vector<std::string>& values);

// The parts of a template's text.
struct Piece {
  enum class Kind {
    Text,
    Output,  // an action that outputs a value: {{ .Values.image }}
    Silent,  // a comment or an assignment
    Open,    // if, with, range, block, define
    Else,    // else, else if
    Close,   // end
  };
  Kind kind = Kind::Text;
  size_t begin = 0;  // position in the text, with the braces
  size_t end = 0;
  std::string_view action;  // without braces, dashes and spaces: "range .Values.jobs"
};

// Splits a part of a template; an action that isn't closed is text.
std::vector<Piece> split_template(std::string_view text, size_t begin, size_t end);

// The first word of an action: "range".
std::string_view word_of(std::string_view action);
// The name in `include "name" …` or `template "name" …`, `define "name"`; "" if there is none.
std::string_view name_in(std::string_view action);

}  // namespace trainjobc::helm
