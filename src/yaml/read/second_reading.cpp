// SPDX-License-Identifier: Apache-2.0

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <unordered_map>

#include "yaml/read/documents.h"
#include "yaml/read/reader.h"
#include "yaml/read/tree_builder.h"

namespace trainjobc::yaml {
namespace {

// Builds a tree from yaml-cpp's events of one document.
class Handler : public YAML::EventHandler {
 public:
  Handler(TreeBuilder& builder, base::Arena& arena)
      : builder_(builder), arena_(arena), scalars_(builder, arena, {}) {}

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& /*mark*/, const std::string& name) override { anchor_ = name; }
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t anchor) override { scalar("?", anchor, ""); }
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t anchor) override {
    builder_.alias(names_[anchor], {});
  }
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    scalar(tag, anchor, value);
  }
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    builder_.open(false, name_of(anchor), {});
  }
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    builder_.open(true, name_of(anchor), {});
  }
  void OnSequenceEnd() override { builder_.close(); }
  void OnMapEnd() override { builder_.close(); }

 private:
  // yaml-cpp gives an unquoted scalar without a tag the tag "?", and a quoted one "!".
  void scalar(const std::string& tag, YAML::anchor_t anchor, const std::string& value) {
    Event event{.type = Event::Type::Scalar, .plain = tag == "?"};
    event.text = value;
    if (tag != "?" && tag != "!") event.tag = tag;
    event.anchor = name_of(anchor);
    scalars_.add(event, {});
  }

  std::string_view name_of(YAML::anchor_t anchor) {
    if (anchor == 0) return {};
    return names_[anchor] = arena_.copy(anchor_);
  }

  TreeBuilder& builder_;
  base::Arena& arena_;
  ScalarBuilder scalars_;
  std::string anchor_;
  std::unordered_map<YAML::anchor_t, std::string_view> names_;
};

// nullptr if yaml-cpp can't read the text, or accepts what Kubernetes refuses. Its events have no places.
const Node* read_again(const base::SourceFile& file, const Chunk& chunk, base::Arena& arena) {
  base::Diagnostics problems;
  const ReadLimits limits;
  TreeBuilder builder(file, chunk.text, arena, problems, limits);
  Handler handler(builder, arena);
  std::istringstream stream{std::string(chunk.text)};
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(handler)) return builder.make().null({});
  } catch (const YAML::Exception&) {
    return nullptr;
  } catch (const StopReading&) {
    return nullptr;
  }
  return problems.has_errors() ? nullptr : builder.root();
}

}  // namespace

bool reads_the_same(const base::SourceFile& file, std::span<const Document> documents) {
  base::Arena arena;
  base::Diagnostics ignored;
  auto document = documents.begin();
  for (const Chunk& chunk : split_documents(file, ignored)) {
    arena.clear();
    const Node* root = read_again(file, chunk, arena);
    if (!root) return false;
    if (root->is_null()) continue;
    if (document == documents.end() || !equal(*document->root, *root)) return false;
    ++document;
  }
  return document == documents.end();
}

}  // namespace trainjobc::yaml
