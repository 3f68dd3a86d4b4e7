// SPDX-License-Identifier: Apache-2.0

// Advice on what is beside a job in the inputs: its runtime's place, claims, namespaces, Experiments; and on
// placeholders.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_inputs_test {
using trainjobc::test::advice;
using trainjobc::test::job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

std::string with_image(const std::string& name) {
  return runtime("{torch: {}}", trainer()) + job("  trainer:\n    image: '" + name + "'\n");
}

}  // namespace

TEST_CASE("advice/image-placeholder") {
  const auto image = [](const std::string& name) {
    return advice("advice/image-placeholder", with_image(name));
  };
  CHECK(image("<account>.dkr.ecr.eu-west-1.amazonaws.com/train:1") ==
        "in.yaml:29:13: warning: \"<account>\" stands for another name: no container runtime can pull this "
        "image [advice/image-placeholder]\n"
        "   29 |     image: '<account>.dkr.ecr.eu-west-1.amazonaws.com/train:1'\n"
        "      |             ^~~~~~~~~ write the image's name\n");
  CHECK(image("$IMAGE:1") ==
        "in.yaml:29:13: warning: \"$IMAGE\" stands for another name: no container runtime can pull this "
        "image [advice/image-placeholder]\n"
        "   29 |     image: '$IMAGE:1'\n"
        "      |             ^~~~~~ write the image's name\n");
  CHECK(image("ghcr.io/team/${IMAGE}") ==
        "in.yaml:29:26: info: \"${IMAGE}\" stands for another name: no container runtime can pull this image "
        "[advice/image-placeholder]\n"
        "   29 |     image: 'ghcr.io/team/${IMAGE}'\n"
        "      |                          ^~~~~~~~ write the image's name\n");
  CHECK(image("YOUR_IMAGE") ==
        "in.yaml:29:13: warning: \"YOUR_IMAGE\" stands for another name: no container runtime can pull this "
        "image [advice/image-placeholder]\n"
        "   29 |     image: 'YOUR_IMAGE'\n"
        "      |             ^~~~~~~~~~ write the image's name\n");
  CHECK(image("gcr.io/PROJECT_ID/train:1") ==
        "in.yaml:29:20: warning: \"PROJECT_ID\" stands for another name: no container runtime can pull this "
        "image [advice/image-placeholder]\n"
        "   29 |     image: 'gcr.io/PROJECT_ID/train:1'\n"
        "      |                    ^~~~~~~~~~ write the image's name\n");
  for (const char* name : {"your-registry.example.com/a:1", "quay.io/CHANGE_ME/a:1", "ghcr.io/a/b:<tag>"})
    CHECK_MESSAGE(image(name) != "", name);
  for (const char* name : {"ghcr.io/team/train:1", "ghcr.io/yourbase/a:1", "ghcr.io/a/todo:1", "{{ image }}",
                           "%IMAGE%", "ghcr.io/a/b:RELEASE"})
    CHECK_MESSAGE(image(name) == "", name);
}

}  // namespace trainjobc::advice_inputs_test
