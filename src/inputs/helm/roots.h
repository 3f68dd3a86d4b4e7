// SPDX-License-Identifier: Apache-2.0

// Charts as roots: those that --helm names, and those in the settings.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/helm/build.h"
#include "inputs/roots.h"

namespace trainjobc::helm {

class Charts final : public inputs::RootKind {
 public:
  explicit Charts(const inputs::RootLoader& loader) : loader_(loader) {}

  std::string_view flag() const override { return "--helm"; }
  std::string_view plural() const override { return "charts"; }
  std::string scope_of(const inputs::Root& root) const override;
  std::vector<inputs::Root> find(const std::vector<Source>& sources) override;
  std::vector<std::string> files_of(const inputs::Root& root,
                                    const std::vector<Source>& sources) const override;
  std::vector<inputs::BuiltGroup> build(std::span<const inputs::Root> roots) override;
  inputs::InputGroup failed(const inputs::Root& root, const BuildFailure& failure) override;

 private:
  Release release_of(const inputs::Root& root) const;

  const inputs::RootLoader& loader_;
};

// The group of a chart that was built.
inputs::InputGroup group_of(Built built, inputs::Configurations& configurations);

}  // namespace trainjobc::helm
