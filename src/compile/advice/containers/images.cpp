// SPDX-License-Identifier: Apache-2.0

// Images that may differ between days and nodes, or can't be pulled.
#include <fmt/format.h>

#include "base/text/ascii.h"
#include "compile/advice/checks.h"
#include "compile/advice/containers/all_containers.h"
#include "compile/advice/containers/image_reference.h"
#include "yaml/fields.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Node;

constexpr std::string_view kHint = "pin a version or a digest";

// Placeholders of templating tools aren't checked.
bool has_placeholder(std::string_view image) {
  return image.find_first_of("${}<>%") != std::string_view::npos;
}

// Space around the name is an error of the Job.
bool has_outer_space(std::string_view image) {
  return base::trimmed(image).size() != image.size();
}

void check_tag(const Node& node, std::string field, Advisor& advisor) {
  const std::string_view image = node.text();
  if (image.find('@') != std::string_view::npos) return;
  const size_t slash = image.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const size_t colon = name.find(':');
  if (colon == std::string_view::npos) {
    advisor.warn(
        "advice/image-tag", std::move(field),
        fmt::format("image \"{}\" has no tag: every pull gets whatever is \"latest\" at that moment", image),
        yaml::locate(node), std::string(kHint));
  } else if (name.substr(colon + 1) == "latest") {
    advisor.warn(
        "advice/image-tag", std::move(field),
        fmt::format("image \"{}\" changes with each release: nodes may run different versions", image),
        yaml::locate(node), std::string(kHint));
  }
}

void check_image(const Node* node, std::string field, Advisor& advisor) {
  const std::string_view image = yaml::text_of(node);
  if (image.empty() || has_placeholder(image) || has_outer_space(image)) return;
  ImageComplaint wrong = image_complaint(image);
  if (wrong.message.empty()) {
    check_tag(*node, std::move(field), advisor);
  } else {
    advisor.warn("advice/image-name", std::move(field), std::move(wrong.message), yaml::locate(*node),
                 std::move(wrong.hint));
  }
}

}  // namespace

void check_runtime_images(const RuntimeContext& context, Advisor& advisor) {
  for (const ContainerPlace& place : containers_of(context.info)) {
    check_image(place.container.image, place.field + ".image", advisor);
  }
}

void check_job_image(const AdviceContext& context, Advisor& advisor) {
  if (context.job.trainer) check_image(context.job.trainer->image, "spec.trainer.image", advisor);
}

}  // namespace trainjobc::compile::advice
