// SPDX-License-Identifier: Apache-2.0

// Images that no container runtime can parse or pull, or that may differ between days and nodes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "rules/rules.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::images {
namespace {

using yaml::Node;

// References to images, as container runtimes read them. Source of the grammar:
// github.com/distribution/reference.

struct ImageComplaint {
  std::string message;  // "" if the reference is valid
  std::string hint;
};

constexpr size_t kMaxTag = 128;
constexpr size_t kMaxName = 255;
constexpr size_t kDigits = 64;  // length of a sha256

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return base::is_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool has_capitals(std::string_view text) {
  return std::ranges::any_of(text, base::is_upper);
}

// Whether the text is words of lower-case letters and digits, joined by one dot, one or two underscores, or
// dashes.
bool is_path_part(std::string_view part) {
  if (part.empty() || !base::is_lower_alnum(part.front()) || !base::is_lower_alnum(part.back())) return false;
  for (size_t i = 0; i < part.size();) {
    const size_t begin = i;
    while (i < part.size() && !base::is_lower_alnum(part[i])) ++i;
    const std::string_view joint = part.substr(begin, i - begin);
    const bool fits = joint.empty() || joint == "." || joint == "_" || joint == "__" ||
                      joint.find_first_not_of('-') == std::string_view::npos;
    if (!fits) return false;
    ++i;
  }
  return true;
}

// Accepts HOST and HOST:PORT; an IPv6 address in brackets isn't checked.
bool is_registry(std::string_view text) {
  if (text.starts_with('[')) return text.find(']') != std::string_view::npos;
  const size_t colon = text.find(':');
  const std::string_view port = colon == std::string_view::npos ? "0" : text.substr(colon + 1);
  const bool has_port = !port.empty() && std::ranges::all_of(port, base::is_digit);
  std::string_view host = text.substr(0, colon);
  if (!has_port || host.empty()) return false;
  while (!host.empty()) {
    const size_t dot = std::min(host.find('.'), host.size());
    const std::string_view part = host.substr(0, dot);
    const bool fits = !part.empty() && base::is_alnum(part.front()) && base::is_alnum(part.back()) &&
                      std::ranges::all_of(part, [](char c) { return base::is_alnum(c) || c == '-'; });
    if (!fits || dot + 1 == host.size()) return false;
    host.remove_prefix(std::min(dot + 1, host.size()));
  }
  return true;
}

// Reports spaces, and characters outside of ASCII.
ImageComplaint character_complaint(std::string_view image) {
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7F'; };
  for (size_t at = 0; at < image.size();) {
    if (is_plain(image[at])) {
      ++at;
      continue;
    }
    const base::CodePoint point = base::decode_utf8(image.substr(at));
    if (base::odd_space_at(image.substr(at)))
      return {fmt::format("the image's name contains {}: it can't be pulled", base::odd_space_in(image)),
              "write it without"};
    if (point.length > 1)
      return {
          fmt::format("the image's name contains the character U+{:04X}: it can't be pulled", point.value),
          "write it in ASCII"};
    if (image[at] == ' ' || image[at] == '\t' || image[at] == '\n')
      return {"the image's name contains a space: it can't be pulled", "write it without spaces"};
    at += std::max<size_t>(point.length, 1);
  }
  return {};
}

ImageComplaint digest_complaint(std::string_view digest) {
  constexpr std::string_view kSha = "sha256:";
  const bool is_sha = digest.starts_with(kSha);
  const std::string_view digits = is_sha ? digest.substr(kSha.size()) : "";
  if (is_sha && digits.size() == kDigits && is_hex(digits)) return {};
  if (digest.starts_with("sha384:") || digest.starts_with("sha512:")) return {};
  return {"the part after the image's @ is not a digest: it can't be pulled",
          "a digest is sha256: and 64 of the digits 0-9 and a-f"};
}

ImageComplaint tag_complaint(std::string_view tag) {
  const auto fits = [](char c) { return base::is_alnum(c) || c == '_' || c == '.' || c == '-'; };
  if (tag.empty()) return {"the image ends with a colon and has no tag: it can't be pulled", "add the tag"};
  if (tag.size() > kMaxTag || tag.front() == '.' || tag.front() == '-' || !std::ranges::all_of(tag, fits)) {
    return {"the image's tag is invalid: it can't be pulled",
            "a tag has letters, digits, _, . and -, and at most 128 of them"};
  }
  return {};
}

ImageComplaint path_complaint(std::string_view path) {
  while (true) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    if (has_capitals(part)) {
      return {fmt::format("the image's repository has capital letters, in \"{}\": it can't be pulled", part),
              fmt::format("write \"{}\"", base::lower_case(part))};
    }
    if (!is_path_part(part)) {
      return {
          part.empty()
              ? "the image's repository has an empty part: it can't be pulled"
              : fmt::format("\"{}\" is not a valid part of an image's repository: it can't be pulled", part),
          "parts are lower-case letters and digits, with single ., _ or - between them"};
    }
    if (slash == path.size()) return {};
    path.remove_prefix(slash + 1);
  }
}

// The API server accepts a Job with such an image, and refuses its pods.
ImageComplaint space_complaint(std::string_view image) {
  if (base::trimmed(image, base::kGoSpace).size() == image.size()) return {};
  return {"the image's name begins or ends with a space: the API server refuses every pod of it",
          "remove it"};
}

// Why a container runtime can't parse the reference. Never quotes more of it than a character, a tag or a
// component of its path.
ImageComplaint image_complaint(std::string_view image) {
  if (const size_t scheme = image.find("://"); scheme != std::string_view::npos)
    return {"an image name has no scheme such as docker://: it can't be pulled", "leave it out"};
  if (ImageComplaint wrong = space_complaint(image); !wrong.message.empty()) return wrong;
  if (ImageComplaint wrong = character_complaint(image); !wrong.message.empty()) return wrong;
  const size_t at = image.find('@');
  if (at != std::string_view::npos) {
    if (ImageComplaint wrong = digest_complaint(image.substr(at + 1)); !wrong.message.empty()) return wrong;
  }
  std::string_view name = image.substr(0, at);
  const size_t last_slash = name.rfind('/');
  const size_t colon = name.find(':', last_slash == std::string_view::npos ? 0 : last_slash);
  if (colon != std::string_view::npos) {
    if (ImageComplaint wrong = tag_complaint(name.substr(colon + 1)); !wrong.message.empty()) return wrong;
    name = name.substr(0, colon);
  }
  if (name.size() > kMaxName)
    return {"the image's name is longer than 255 characters: it can't be pulled", ""};
  const size_t slash = name.find('/');
  const std::string_view first = slash == std::string_view::npos ? "" : name.substr(0, slash);
  const bool looks_like_host = first.find_first_of(".:") != std::string_view::npos || first == "localhost";
  if (first.empty() || !looks_like_host) return path_complaint(name);
  if (!is_registry(first))
    return {"the part before the image's first / is not a registry: it can't be pulled",
            "write HOST or HOST:PORT"};
  return path_complaint(name.substr(slash + 1));
}

// Images that may differ between days and nodes, or can't be pulled.

constexpr std::string_view kHint = "pin a version or a digest";

// Words that stand for others.

// Those of Helm, Jinja and the like aren't checked: their files are templates.
bool is_template(std::string_view image) {
  return image.find("{{") != std::string_view::npos || image.find('%') != std::string_view::npos;
}

// "your-registry", "YOUR-IMAGE", "yourusername", "CHANGE_ME", "xxx".
bool is_stand_in(std::string_view word) {
  constexpr std::array<std::string_view, 4> kWords{"changeme", "change-me", "replaceme", "replace-me"};
  constexpr std::array<std::string_view, 16> kYours{
      "account", "company", "domain",   "hub",  "id",   "image", "name",     "namespace",
      "org",     "project", "registry", "repo", "team", "user",  "username", "organization"};
  constexpr size_t kLeast = 3;
  std::string text = base::lower_case(word);
  std::ranges::replace(text, '_', '-');
  const std::string_view rest = text.starts_with("your") ? std::string_view(text).substr(4) : "";
  const bool is_of_x = text.size() >= kLeast && text.find_first_not_of('x') == std::string::npos;
  return base::contains(kWords, text) || rest.starts_with('-') || base::contains(kYours, rest) || is_of_x;
}

bool is_in_capitals(std::string_view word) {
  constexpr size_t kLeast = 4;
  const bool has_letter = std::ranges::any_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
  return word.size() >= kLeast && has_letter && std::ranges::all_of(word, [](char c) {
           return (c >= 'A' && c <= 'Z') || base::is_digit(c) || c == '_';
         });
}

// The text between two signs that no image's name has, with them; "" if there is none.
std::string_view in_brackets(std::string_view image, char open, char close) {
  const size_t begin = image.find(open);
  const size_t end = begin == std::string_view::npos ? begin : image.find(close, begin);
  return end == std::string_view::npos ? std::string_view() : image.substr(begin, end - begin + 1);
}

// The first placeholder: <account>, [image], $IMAGE, ${IMAGE}, CHANGE_ME; "" if there is none.
std::string_view placeholder_in(std::string_view image) {
  if (const std::string_view text = in_brackets(image, '<', '>'); !text.empty()) return text;
  if (const std::string_view text = in_brackets(image, '[', ']'); !text.empty()) return text;
  if (const size_t dollar = image.find('$'); dollar != std::string_view::npos) {
    const std::string_view rest = image.substr(dollar + 1);
    const auto is_inside = [&](char c) { return base::is_alnum(c) || c == '_' || c == '{'; };
    const auto end = std::ranges::find_if_not(rest, is_inside);
    size_t length = static_cast<size_t>(end - rest.begin());
    if (rest.starts_with('{')) length = std::min(rest.find('}'), rest.size() - 1) + 1;
    return length > 0 ? image.substr(dollar, length + 1) : std::string_view();
  }
  for (const std::string_view word : base::non_empty_parts(image, "/:@.")) {
    if (is_stand_in(word)) return word;
  }
  // PROJECT_ID: no repository has capital letters.
  for (const std::string_view word : base::non_empty_parts(repository_of(image), "/.")) {
    if (is_in_capitals(word)) return word;
  }
  return {};
}

// Tools that fill in ${NAME} may do so when the file is applied.
void report_placeholder(const Node& node, std::string field, std::string_view placeholder, Advisor& advisor) {
  const size_t at = static_cast<size_t>(placeholder.data() - node.text().data());
  base::Diagnostic& found = advisor.warn(
      "advice/image-placeholder", std::move(field),
      fmt::format("\"{}\" stands for another name: no container runtime can pull this image", placeholder),
      yaml::WrittenText(node).place_or_all(at, placeholder.size()), "write the image's name");
  if (placeholder.starts_with("${")) rules::except(found);
}

// Repositories that are often used, as people write them: the catalogue's, and the ecosystem's.
constexpr std::array<std::string_view, 34> kKnownRepositories{
    "alpine",
    "busybox",
    "debian",
    "python",
    "ubuntu",
    "continuumio/miniconda3",
    "deepspeed/deepspeed",
    "horovod/horovod",
    "huggingface/transformers-pytorch-deepspeed-latest-gpu",
    "huggingface/transformers-pytorch-gpu",
    "mambaorg/micromamba",
    "mpioperator/mpi-pi",
    "nvidia/cuda",
    "pytorch/pytorch",
    "rayproject/ray",
    "rayproject/ray-ml",
    "rocm/jax",
    "rocm/pytorch",
    "rocm/tensorflow",
    "tensorflow/tensorflow",
    "vllm/vllm-openai",
    "ghcr.io/converged-computing/metric-lammps",
    "ghcr.io/kubeflow/trainer/dataset-initializer",
    "ghcr.io/kubeflow/trainer/deepspeed-runtime",
    "ghcr.io/kubeflow/trainer/mlx-runtime",
    "ghcr.io/kubeflow/trainer/model-initializer",
    "ghcr.io/kubeflow/trainer/torchtune-trainer",
    "ghcr.io/kubeflow/trainer/xgboost-runtime",
    "nvcr.io/nvidia/cuda",
    "nvcr.io/nvidia/jax",
    "nvcr.io/nvidia/nemo",
    "nvcr.io/nvidia/pytorch",
    "nvcr.io/nvidia/tensorflow",
    "nvcr.io/nvidia/tritonserver"};

// The number of components in the path of a known repository.
constexpr ptrdiff_t kMostParts = 4;
static_assert(std::ranges::all_of(kKnownRepositories, [](std::string_view known) {
  return std::ranges::count(known, '/') < kMostParts;
}));

// Shorter words resemble others that are names too.
constexpr size_t kShortestMisspelt = 5;

// Whether one letter is wrong, missing or added, or two are swapped. Digits and punctuation distinguish
// versions.
bool is_misspelt(std::string_view word, std::string_view known) {
  if (known.size() < kShortestMisspelt) return false;
  const auto [differs, other] = std::ranges::mismatch(word, known);
  const std::string_view rest(differs, word.end());
  const std::string_view known_rest(other, known.end());
  const auto drop = [](std::string_view text, size_t count) {
    return text.substr(std::min(count, text.size()));
  };
  const bool letters = (rest.empty() || base::is_lower(rest.front())) &&
                       (known_rest.empty() || base::is_lower(known_rest.front()));
  if (!letters || (rest.empty() && known_rest.empty())) return false;
  const bool is_swapped = rest.size() >= 2 && known_rest.size() >= 2 && rest[0] == known_rest[1] &&
                          rest[1] == known_rest[0] && drop(rest, 2) == drop(known_rest, 2);
  return is_swapped || drop(rest, 1) == known_rest || rest == drop(known_rest, 1) ||
         drop(rest, 1) == drop(known_rest, 1);
}

// Compares component by component: a private owner or registry is not a misspelling.
bool is_misspelt_path(std::string_view path, std::string_view known) {
  // A letter may be missing or added in each component.
  if (std::abs(std::ssize(path) - std::ssize(known)) > kMostParts) return false;
  bool is_wrong = false;
  while (true) {
    const std::string_view part = path.substr(0, path.find('/'));
    const std::string_view known_part = known.substr(0, known.find('/'));
    if (part != known_part && !is_misspelt(part, known_part)) return false;
    is_wrong = is_wrong || part != known_part;
    const bool is_end = part.size() == path.size();
    if (is_end || known_part.size() == known.size())
      return is_wrong && is_end && known_part.size() == known.size();
    path.remove_prefix(part.size() + 1);
    known.remove_prefix(known_part.size() + 1);
  }
}

void check_spelling(const Node& node, const std::string& field, Advisor& advisor) {
  const std::string_view repository = repository_of(node.text());
  if (base::contains(kKnownRepositories, repository)) return;
  const auto meant = std::ranges::find_if(
      kKnownRepositories, [&](std::string_view known) { return is_misspelt_path(repository, known); });
  if (meant == kKnownRepositories.end()) return;
  base::Diagnostic& found = advisor.warn(
      "advice/misspelt-image", field,
      fmt::format("image \"{}\" is spelt almost like \"{}\": if there is none of that name, the pods "
                  "stay in ImagePullBackOff",
                  repository, *meant),
      yaml::locate(node), fmt::format("did you mean \"{}\"?", *meant));
  std::string image(node.text());
  image.replace(image.find(repository), repository.size(), *meant);
  base::suggest_fix(found, yaml::replace_text(node, image));
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

// The name that was most likely meant, which a container runtime can parse; "" if that is not clear.
std::string corrected(std::string_view image) {
  const size_t scheme = image.find("://");
  std::string plain = base::with_plain_spaces(
      base::without_curly_quotes(scheme == std::string_view::npos ? image : image.substr(scheme + 3)));
  std::erase(plain, ' ');
  const size_t slash = plain.rfind('/');
  const size_t name_end =
      std::min(plain.find_first_of(":@", slash == std::string::npos ? 0 : slash), plain.size());
  const std::string lower = base::lower_case(plain.substr(0, name_end)) + plain.substr(name_end);
  for (const std::string& better : {plain, lower}) {
    if (image_complaint(better).message.empty()) return better;
  }
  return "";
}

void check_image(const Node* node, std::string field, Advisor& advisor) {
  const std::string_view image = yaml::text_of(node);
  if (image.empty() || is_template(image)) return;
  if (const std::string_view placeholder = placeholder_in(image); !placeholder.empty())
    return report_placeholder(*node, std::move(field), placeholder, advisor);
  if (image.find_first_of("${}<>") != std::string_view::npos) return;
  ImageComplaint wrong = image_complaint(image);
  if (wrong.message.empty()) {
    check_spelling(*node, field, advisor);
    check_tag(*node, std::move(field), advisor);
  } else {
    base::Diagnostic& found = advisor.warn("advice/image-name", std::move(field), std::move(wrong.message),
                                           yaml::locate(*node), std::move(wrong.hint));
    const std::string better = corrected(image);
    if (!better.empty()) base::suggest_fix(found, yaml::replace_text(*node, better));
  }
}

void check_runtime_images(const RuntimeContext& context, Advisor& advisor) {
  for (const ContainerPlace& place : containers_of(context.info)) {
    check_image(place.container.image, place.field + ".image", advisor);
  }
}

void check_job_image(const AdviceContext& context, Advisor& advisor) {
  if (context.job.trainer) check_image(context.job.trainer->image, "spec.trainer.image", advisor);
}

}  // namespace

Checks checks() {
  return {.job = {check_job_image}, .runtime = {check_runtime_images}};
}

}  // namespace trainjobc::compile::advice::images
