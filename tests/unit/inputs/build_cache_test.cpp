// SPDX-License-Identifier: Apache-2.0

// What the real kustomize and helm build after each change of a file is shown in
// tests/integrations/build_cache_test.py.
#include "inputs/build_cache.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "inputs/helm/dependencies.h"
#include "inputs/kustomize/dependencies.h"

namespace trainjobc::build_cache_test {
namespace {

namespace fs = std::filesystem;

struct Place {
  std::string path = (fs::temp_directory_path() / "trainjobc-XXXXXX").string();

  Place() { path = ::mkdtemp(path.data()); }
  ~Place() { fs::remove_all(path); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  std::string builds() const { return path + "/cache/builds"; }
  std::vector<fs::path> kept() const {
    std::vector<fs::path> all;
    if (!fs::exists(builds())) return all;
    for (const auto& entry : fs::directory_iterator(builds())) all.push_back(entry.path());
    return all;
  }
};

// A program that prints how often it was run.
class Counter final : public base::ProcessRunner {
 public:
  int runs = 0;
  int status = 0;
  std::string text = "kind: TrainJob\n";
  std::function<void()> meanwhile = [] {};

  base::IoResult<base::ProcessResult> run(const base::ProcessRequest& /*request*/) override {
    meanwhile();
    return base::ProcessResult{status, fmt::format("{}# {}\n", text, ++runs), ""};
  }
};

struct Cache {
  Place place;
  Counter counter;
  base::MemoryFileSystem files;
  // A program that can be looked at: this one.
  std::string program = fs::read_symlink("/proc/self/exe").string();
  uint64_t limit = inputs::CachingRunner::kUsualLimit;

  Cache() { files.files = {{"a", "1"}, {"b", "2"}}; }

  base::ProcessRequest request() const {
    base::ProcessRequest request{.argv = {program}};
    request.depends_on =
        std::make_shared<base::Dependencies>(base::Dependencies{"build", &files, {{"a", "a"}, {"c", "c"}}});
    return request;
  }

  std::string run(const base::ProcessRequest& request) {
    inputs::CachingRunner runner(counter, place.builds(), limit);
    return std::get<base::ProcessResult>(runner.run(request)).out;
  }
  std::string run() { return run(request()); }
};

constexpr const char* kFirst = "kind: TrainJob\n# 1\n";
constexpr const char* kSecond = "kind: TrainJob\n# 2\n";

}  // namespace

TEST_CASE("build cache: an answer is known until a file, the call or the input changes") {
  Cache cache;
  CHECK(cache.run() == kFirst);
  CHECK(cache.run() == kFirst);
  cache.files.files["b"] = "3";  // which it doesn't read
  CHECK(cache.run() == kFirst);
  cache.files.files["a"] = "2";
  CHECK(cache.run() == kSecond);
  cache.files.files["c"] = "";  // which wasn't there
  CHECK(cache.run() == "kind: TrainJob\n# 3\n");
  base::ProcessRequest other = cache.request();
  other.input = "values";
  CHECK(cache.run(other) == "kind: TrainJob\n# 4\n");
  other.depends_on = std::make_shared<base::Dependencies>(base::Dependencies{"build all", &cache.files, {}});
  CHECK(cache.run(other) == "kind: TrainJob\n# 5\n");
  cache.files.files = {{"a", "1"}};
  CHECK(cache.run() == kFirst);
  CHECK(cache.counter.runs == 5);
}

TEST_CASE("build cache: several requests at once, each with its answer") {
  Cache cache;
  cache.run();
  base::ProcessRequest other = cache.request();
  other.input = "values";
  inputs::CachingRunner runner(cache.counter, cache.place.builds());
  const std::vector<base::ProcessRequest> requests{other, cache.request(), other};
  std::string all;
  for (const auto& answer : runner.run_all(requests)) all += std::get<base::ProcessResult>(answer).out;
  CHECK(all == "kind: TrainJob\n# 2\nkind: TrainJob\n# 1\nkind: TrainJob\n# 3\n");
  CHECK(&runner.without_cache() == &cache.counter);
}

TEST_CASE("build cache: failures, Secrets, and what may depend on more are not kept") {
  Cache cache;
  SUBCASE("a failure") {
    cache.counter.status = 1;
  }
  SUBCASE("a Secret") {
    cache.counter.text = "kind: Secret\n";
  }
  SUBCASE("a Secret in JSON") {
    cache.counter.text = R"({"items": [{"kind" : "Secret"}]})";
  }
  SUBCASE("Secrets") {
    cache.counter.text = "kind: SecretList\n";
  }
  SUBCASE("a file that changes meanwhile") {
    cache.counter.meanwhile = [&] { cache.files.files["a"] += "1"; };
  }
  SUBCASE("a script") {
    cache.program = cache.place.path + "/kustomize";
    std::ofstream(cache.program) << "#!/bin/sh\n";
    fs::permissions(cache.program, fs::perms::owner_all);
  }
  SUBCASE("a program under another's name") {
    fs::create_symlink(cache.program, cache.place.path + "/kustomize");
    cache.program = cache.place.path + "/kustomize";
  }
  SUBCASE("a program that is not there") {
    cache.program = cache.place.path + "/kustomize";
  }
  SUBCASE("no place") {
    cache.limit = 0;
  }
  cache.run();
  cache.files.files["a"] = "1";
  cache.run();
  CHECK(cache.counter.runs == 2);
}

TEST_CASE("build cache: what others could have written is not read") {
  Cache cache;
  cache.run();
  const auto entry_of = [](const Place& place) {
    for (const fs::path& kept : place.kept()) {
      std::ostringstream text;
      text << std::ifstream(kept).rdbuf();
      if (text.str().ends_with(kFirst)) return kept;
    }
    return fs::path();
  };
  const fs::path entry = entry_of(cache.place);
  REQUIRE(!entry.empty());
  SUBCASE("in a folder of all") {
    ::chmod(cache.place.builds().c_str(), 0777);
  }
  SUBCASE("in a file of all") {
    ::chmod(entry.c_str(), 0666);
  }
  SUBCASE("in a link") {
    fs::rename(entry, cache.place.path + "/elsewhere");
    fs::create_symlink(cache.place.path + "/elsewhere", entry);
  }
  SUBCASE("a text that was changed") {
    std::ofstream(entry, std::ios::app) << "#";
  }
  SUBCASE("a text that was cut") {
    fs::resize_file(entry, 3);
  }
  CHECK(cache.run() == kSecond);
}

TEST_CASE("build cache: only the user may read it") {
  Cache cache;
  cache.run();
  CHECK((fs::status(cache.place.builds()).permissions() & fs::perms::all) == fs::perms::owner_all);
  for (const fs::path& entry : cache.place.kept()) {
    CHECK((fs::status(entry).permissions() & fs::perms::all) ==
          (fs::perms::owner_read | fs::perms::owner_write));
  }
}

TEST_CASE("build cache: what was not used for the longest time is removed") {
  Place place;
  inputs::TextStore store(place.builds(), 1000);
  const std::string text(100, 'x');  // and the digest: 164 bytes
  const auto set_age = [&](const std::string& name, int hours) {
    fs::last_write_time(place.builds() + "/" + name,
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (int i = 0; i < 7; ++i) {
    const std::string name = fmt::format("{}", i);
    CHECK(store.keep(name, text));
    set_age(name, 10 - i);
  }
  std::ofstream(place.builds() + "/.new-1-left") << "x";
  set_age(".new-1-left", 2);
  std::ofstream(place.builds() + "/.new-2-written") << "x";
  CHECK(store.find("0") == text);  // which is now used
  store.shrink();
  std::string left;
  for (int i = 0; i < 7; ++i) left += store.find(fmt::format("{}", i)) ? fmt::format("{}", i) : "";
  CHECK(left == "0456");
  CHECK(place.kept().size() == 5);
  CHECK(!store.keep("large", std::string(126, 'x')));
  CHECK(!store.keep("no/place", text));
}

namespace {

// The names of what is read; "unknown".
std::string names_of(const std::shared_ptr<const base::Dependencies>& found) {
  if (!found) return "unknown";
  std::string names;
  for (const auto& [name, path] : found->read) names += (names.empty() ? "" : " ") + name;
  return names;
}

std::string of_kustomization(const std::string& text) {
  base::MemoryFileSystem files;
  for (const char* path : {"app/job.yaml", "app/patch.yaml", "app/more.yaml", "base/job.yaml", "schema.json"})
    files.files[path] = "{}\n";
  files.files["app/kustomization.yaml"] = text;
  files.files["app/variables.env"] = "# all set\n\nA=1\n  B=\n";
  files.files["app/environment.env"] = "A=1\nHOME\n";
  files.files["base/kustomization.yaml"] = "resources: [job.yaml]\n";
  files.files["component/kustomization.yml"] = "kind: Component\npatches: [{path: ../app/more.yaml}]\n";
  files.files["plugin/kustomization.yaml"] = "transformers: [labels.yaml]\n";
  return names_of(kustomize::dependencies_of(files, *kustomize::read_tree(files, "app")));
}

constexpr const char* kOwn = "Kustomization kustomization.yaml kustomization.yml";

}  // namespace

TEST_CASE("build cache: the files that kustomize reads") {
  const auto with = [](const std::string& names) { return fmt::format("{} {}", kOwn, names); };
  CHECK(of_kustomization("namePrefix: a-\nlabels: [{pairs: {a: b}}]\n") == kOwn);
  CHECK(of_kustomization("resources: [job.yaml]\ncrds: [more.yaml]\nconfigurations: [patch.yaml]\n") ==
        "Kustomization job.yaml kustomization.yaml kustomization.yml more.yaml patch.yaml");
  CHECK(of_kustomization("resources: [../base]\ncomponents: [../component]\n") ==
        "Kustomization kustomization.yaml kustomization.yml more.yaml ../base/Kustomization ../base/job.yaml "
        "../base/kustomization.yaml ../base/kustomization.yml ../component/Kustomization "
        "../component/kustomization.yaml ../component/kustomization.yml");
  CHECK(of_kustomization("patches: [{path: patch.yaml}, {patch: \"a: 1\\nb: 2\"}]\npatchesJson6902: [{path: "
                         "more.yaml}]\n") == with("more.yaml patch.yaml"));
  CHECK(of_kustomization("patchesStrategicMerge: [patch.yaml, \"{a: 1}\"]\n") == with("patch.yaml {a: 1}"));
  CHECK(of_kustomization(
            "replacements: [{path: more.yaml}, {source: {}}]\nopenapi: {path: ../schema.json}\n") ==
        "Kustomization kustomization.yaml kustomization.yml more.yaml ../schema.json");
  CHECK(of_kustomization(
            "configMapGenerator: [{name: a, files: [more.yaml, k=job.yaml], envs: [variables.env], "
            "literals: [a=b]}]\n") ==
        "Kustomization job.yaml kustomization.yaml kustomization.yml more.yaml variables.env");
}

TEST_CASE("build cache: what may make kustomize read more") {
  for (const char* text :
       {"generators: [job.yaml]\n", "transformers: [job.yaml]\n", "validators: [job.yaml]\n",
        "helmCharts: [{name: a}]\n", "helmGlobals: {}\n", "Resources: [job.yaml]\n", "unknown: a\n",
        "resources: [../plugin]\n", "resources: [\"https://example.org/a.yaml\"]\n",
        "resources: [none.yaml]\n", "resources: job.yaml\n", "patches: [{path: none.yaml}]\n",
        "crds: [none.json]\n", "configMapGenerator: [{name: a, envs: [environment.env]}]\n",
        "secretGenerator: [{name: a, env: environment.env}]\n",
        "configMapGenerator: [{name: a, files: [none.txt]}]\n",
        "configMapGenerator: [{name: a, command: job.yaml}]\n"}) {
    CAPTURE(text);
    CHECK(of_kustomization(text) == "unknown");
  }
}

namespace {

std::string of_chart(const std::string& job, const std::string& path = "", const std::string& text = "") {
  base::MemoryFileSystem files;
  files.files["chart/Chart.yaml"] = "name: chart\n";
  files.files["chart/.helmignore"] = "*.bak\n.git/\n";
  files.files["chart/.git/HEAD"] = "ref\n";
  files.files["chart/values.yaml"] = "a: 1  # now is the date\n";
  files.files["chart/crds/crd.yaml"] = "a: 1\n";
  files.files["chart/charts/sub/Chart.yaml"] = "name: sub\n";
  files.files["chart/templates/job.yaml"] = job;
  files.files["prod.yaml"] = "b: 1\n";
  if (!path.empty()) files.files[path] = text;
  const helm::Release release{"chart", {"prod.yaml"}, "", "", ""};
  const auto chart = helm::read_chart(files, "chart", release.values);
  return names_of(helm::dependencies_of(files, release, *std::get<std::shared_ptr<const helm::Chart>>(chart),
                                        "helm template"));
}

}  // namespace

TEST_CASE("build cache: the files that helm reads") {
  constexpr const char* kAll =
      "chart/.helmignore chart/Chart.yaml chart/charts/sub/Chart.yaml chart/crds/crd.yaml "
      "chart/templates/job.yaml chart/values.yaml values/0";
  CHECK(of_chart("a: {{ .Values.now }}\nnow: {{ $date := 1 }}{{/* now */}}\n") == kAll);
  CHECK(of_chart("", "chart/values.schema.json", R"({"$ref" : "#/a"})") ==
        "chart/.helmignore chart/Chart.yaml chart/charts/sub/Chart.yaml chart/crds/crd.yaml "
        "chart/templates/job.yaml chart/values.schema.json chart/values.yaml values/0");
}

TEST_CASE("build cache: what may make helm print something else") {
  CHECK(of_chart("a: {{ now | date \"2006\" }}\n") == "unknown");
  CHECK(of_chart("a: {{ (randAlphaNum 5) }}\n") == "unknown");
  CHECK(of_chart("{{- range (keys .Values) }}{{ end }}\n") == "unknown");
  CHECK(of_chart("{{ tpl .Values.a . }}\n") == "unknown");  // the comment of values.yaml
  CHECK(of_chart("", "prod.yaml", "b: '{{ uuidv4 }}'\n") == "unknown");
  CHECK(of_chart("", "chart/charts/other-1.0.0.tgz", "") == "unknown");
  CHECK(of_chart("", "chart/values.schema.json", R"({"$ref": "other.json"})") == "unknown");
}

}  // namespace trainjobc::build_cache_test
