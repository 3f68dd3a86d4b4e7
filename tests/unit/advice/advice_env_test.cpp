// SPDX-License-Identifier: Apache-2.0

// Advice on environment variables.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_env_test {
using trainjobc::test::advice;
using trainjobc::test::job;
using trainjobc::test::lint;
using trainjobc::test::replicated_job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

std::string with_env(const std::string& policy, const std::string& runtime_env, const std::string& job_env) {
  return runtime(policy, trainer("                  env: " + runtime_env + "\n")) +
         job("  trainer:\n    env: " + job_env + "\n");
}

}  // namespace

TEST_CASE("advice/env-twice: another value") {
  CHECK(
      advice("advice/env-twice", with_env("{torch: {}}", "[{name: A, value: x}]", "[{name: A, value: z}]")) ==
      R"(in.yaml:30:18: warning: the runtime sets A to another value: this one wins [advice/env-twice]
   30 |     env: [{name: A, value: z}]
      |                  ^ remove it if the runtime's value is fine
  note: the runtime's at in.yaml:21:32
)");
  CHECK(
      advice("advice/env-twice",
             with_env("{torch: {}}", "[{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]",
                      "[{name: A, value: z}]")) ==
      R"(in.yaml:30:18: warning: A is plain text here and replaces what the runtime reads from a Secret [advice/env-twice]
   30 |     env: [{name: A, value: z}]
      |                  ^ remove it here
  note: the runtime's at in.yaml:21:32
)");
}

TEST_CASE("advice/env-twice: the same value, another variable") {
  CHECK(advice("advice/env-twice",
               with_env("{torch: {}}", "[{name: A, value: x}]", "[{name: A, value: x}]")) == "");
  CHECK(advice("advice/env-twice", with_env("{torch: {}}", "[{name: A}]", "[{name: A, value: \"\"}]")) == "");
  CHECK(advice("advice/env-twice",
               with_env("{torch: {}}", "[{name: A, value: x}]", "[{name: B, value: z}]")) == "");
  const std::string from = "[{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]";
  CHECK(advice("advice/env-twice", with_env("{torch: {}}", from, from)) == "");
}

TEST_CASE("advice/generated-env: a job replaces a computed variable") {
  CHECK(
      advice("advice/generated-env",
             with_env("{jax: {}}", "[]", "[{name: JAX_NUM_PROCESSES, value: \"2\"}]")) ==
      R"(in.yaml:30:18: warning: JAX_NUM_PROCESSES replaces the value that the controller computes [advice/generated-env]
   30 |     env: [{name: JAX_NUM_PROCESSES, value: "2"}]
      |                  ^~~~~~~~~~~~~~~~~ remove it, unless every node should have this value
)");
  CHECK(advice("advice/generated-env",
               with_env("{torch: {}}", "[]", "[{name: JAX_NUM_PROCESSES, value: \"2\"}]")) == "");
  CHECK(test::advised_fields(
            "advice/generated-env",
            with_env("{jax: {}}", "[]",
                     "[{name: A, value: b}, {name: JAX_NUM_PROCESSES, value: \"2\"}, {name: C, value: d}, "
                     "{name: JAX_PROCESS_ID, value: \"0\"}]")) ==
        R"(spec.trainer.env[1]: JAX_NUM_PROCESSES replaces the value that the controller computes
spec.trainer.env[3]: JAX_PROCESS_ID replaces the value that the controller computes
)");
}

TEST_CASE("advice/generated-env: a runtime sets a variable that is replaced") {
  CHECK(
      advice("advice/generated-env", with_env("{torch: {}}", "[{name: PET_NNODES, value: \"2\"}]", "[]")) ==
      R"(in.yaml:21:32: warning: the controller replaces PET_NNODES in every job that has spec.trainer [advice/generated-env]
   21 |                   env: [{name: PET_NNODES, value: "2"}]
      |                                ^~~~~~~~~~ remove it
)");
  CHECK(test::fixed("advice/generated-env",
                    with_env("{torch: {}}", "[{name: A, value: b}, {name: PET_NNODES, value: \"2\"}]",
                             "[]")) == with_env("{torch: {}}", "[{name: A, value: b}]", "[]"));
  CHECK(
      test::advised_fields(
          "advice/generated-env",
          with_env("{torch: {}}", "[{name: A, value: b}, {name: PET_NNODES, value: \"2\"}]", "[]")) ==
      R"(spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].env[1]: the controller replaces PET_NNODES in every job that has spec.trainer
)");
  CHECK(advice("advice/generated-env",
               with_env("{numNodes: 1}", "[{name: PET_NNODES, value: \"2\"}]", "[]")) == "");
}

TEST_CASE("advice/generated-env: STORAGE_URI overrides storageUri") {
  std::string jobs = "      replicatedJobs:\n" + replicated_job("model-initializer", "model-initializer") +
                     replicated_job("node", "trainer");
  const std::string mounts =
      "                  volumeMounts: [{name: initializer, mountPath: /workspace}]\n"
      "                volumes: [{name: initializer, emptyDir: {}}]\n";
  jobs.insert(jobs.find("image: img:1\n") + 13, mounts);
  const auto initialized = [&](const std::string& env) {
    return advice("advice/generated-env",
                  runtime("{torch: {}}", jobs) +
                      job("  trainer: {}\n  initializer:\n    model: {storageUri: \"hf://a/b\", env: [" +
                          env + "]}\n"));
  };
  CHECK(initialized("{name: STORAGE_URI, value: \"hf://c/d\"}") ==
        R"(in.yaml:41:50: warning: STORAGE_URI replaces storageUri, which has no effect [advice/generated-env]
   41 |     model: {storageUri: "hf://a/b", env: [{name: STORAGE_URI, value: "hf://c/d"}]}
      |                                                  ^~~~~~~~~~~ remove one of the two
  note: storageUri at in.yaml:41:25
)");
  CHECK(initialized("{name: STORAGE_URI, value: \"hf://a/b\"}") == "");
  CHECK(initialized("{name: OTHER, value: \"hf://c/d\"}") == "");
}

TEST_CASE("advice/flux-setting: a value that the controller can't read") {
  const auto with_setting = [](const std::string& env) {
    return advice("advice/flux-setting", runtime("{flux: {}}", trainer()) +
                                             job("  trainer:\n    numNodes: 1\n    env: [" + env + "]\n"));
  };
  CHECK(
      with_setting("{name: FLUX_QUEUE_POLICY, valueFrom: {configMapKeyRef: {name: c, key: k}}}") ==
      R"(in.yaml:30:18: warning: the controller reads FLUX_QUEUE_POLICY itself and treats a valueFrom as an empty string [advice/flux-setting]
   30 |     env: [{name: FLUX_QUEUE_POLICY, valueFrom: {configMapKeyRef: {name: c, key: k}}}]
      |                  ^~~~~~~~~~~~~~~~~ write the value here
)");
  CHECK(with_setting("{name: FLUX_QUEUE_POLICY, value: easy}") == "");
  CHECK(with_setting("{name: OTHER, valueFrom: {configMapKeyRef: {name: c, key: k}}}") == "");
}

TEST_CASE("advice/plain-secret: by name, with the value on a line of its own") {
  const std::string text =
      runtime("{torch: {}}", trainer()) +
      job("  trainer:\n    env:\n    - name: WANDB_API_KEY\n      value: 0123abcd4567\n");
  CHECK(
      advice("advice/plain-secret", text) ==
      R"(in.yaml:30:13: warning: WANDB_API_KEY looks like a secret and is in plain text here [advice/plain-secret]
   30 |     - name: WANDB_API_KEY
      |             ^~~~~~~~~~~~~ take it from a Secret: valueFrom: {secretKeyRef: {name: …, key: …}}
)");
}

TEST_CASE("advice/plain-secret: the source is not shown if the value is on the line") {
  const std::string value = "hf_0123456789abcdefghijklmnop";
  const std::string text = with_env("{torch: {}}", "[]", "[{name: HUB, value: " + value + "}]");
  CHECK(
      advice("advice/plain-secret", text) ==
      R"(in.yaml:30:18: warning: HUB looks like a Hugging Face token and is in plain text here [advice/plain-secret]
  hint: take it from a Secret: valueFrom: {secretKeyRef: {name: …, key: …}}
)");
  CHECK(advice("advice/plain-secret",
               with_env("{torch: {}}", "[]", "[{value: " + value + ",\n      name: HUB}]"))
            .find(value) == std::string::npos);
}

TEST_CASE("advice/plain-secret: words of a command line") {
  CHECK(advice("advice/plain-secret", runtime("{torch: {}}", trainer()) + job(R"(  trainer:
    args:
    - --token
    - q7w8e9r0t1y2u3i4o5pA
    - --db-password q7w8e9r0t1y2u3i4o5pD
    env:
    - name: AZURE_STORAGE_CONNECTION_STRING
      value: AccountName=a;AccountKey=q7w8e9r0t1y2u3i4o5pQ==;EndpointSuffix=core
)")) == R"(in.yaml:31:7: warning: --token looks like a secret and is in plain text here [advice/plain-secret]
  hint: read it from an env variable that a Secret fills
in.yaml:32:21: warning: --db-password looks like a secret and is in plain text here [advice/plain-secret]
  hint: read it from an env variable that a Secret fills
in.yaml:34:13: warning: AZURE_STORAGE_CONNECTION_STRING looks like a secret and is in plain text here [advice/plain-secret]
   34 |     - name: AZURE_STORAGE_CONNECTION_STRING
      |             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ take it from a Secret: valueFrom: {secretKeyRef: {name: …, key: …}}
)");
}

TEST_CASE("advice/plain-secret: in all that a runtime's container has") {
  CHECK(
      test::advised_fields(
          "advice/plain-secret",
          runtime("{torch: {}}",
                  trainer("                  command: [a, --token, q7w8e9r0t1y2u3i4o5pA]\n"
                          "                  args: [b, --token, q7w8e9r0t1y2u3i4o5pB]\n"
                          "                  env: [{name: A_TOKEN, value: q7w8e9r0t1y2u3i4o5pC}]\n"))) ==
      R"(spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].command[2]: --token looks like a secret and is in plain text here
spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].args[2]: --token looks like a secret and is in plain text here
spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].env[0].value: A_TOKEN looks like a secret and is in plain text here
)");
}

TEST_CASE("advice/plain-secret: values that are no secret, whatever their name") {
  for (const char* value :
       {"true", "false", "abc", "12345", "/run/token", "<token>", "$(OTHER)", "vault:a/b", "ref+a"})
    CHECK_MESSAGE(advice("advice/plain-secret",
                         with_env("{torch: {}}", "[]",
                                  "[{name: HF_TOKEN, value: \"" + std::string(value) + "\"}]")) == "",
                  value);
  for (const char* value : {"True", "abcd", "123456", "./run"})
    CHECK_MESSAGE(advice("advice/plain-secret",
                         with_env("{torch: {}}", "[]",
                                  "[{name: HF_TOKEN, value: \"" + std::string(value) + "\"}]")) != "",
                  value);
}

TEST_CASE("advice/plain-secret: passwords in URLs") {
  const auto with_url = [](const std::string& url) {
    return advice("advice/plain-secret",
                  runtime("{torch: {}}", trainer()) +
                      job("  trainer:\n    env:\n    - name: STORE\n      value: " + url + "\n"));
  };
  CHECK(with_url("postgres://runs:hunter22x@db.ml/runs") ==
        R"(in.yaml:30:13: warning: STORE looks like a secret and is in plain text here [advice/plain-secret]
   30 |     - name: STORE
      |             ^~~~~ take it from a Secret: valueFrom: {secretKeyRef: {name: …, key: …}}
)");
  for (const char* url : {"postgres://runs:password@db.ml/runs", "postgres://runs:$(PASSWORD)@db.ml/runs",
                          "http://proxy.ml:8080", "registry.ml/train:v1@sha256:0123abcd", "s3://bucket/a@b"})
    CHECK(with_url(url) == "");
}

TEST_CASE("advice/plain-secret: no other advice shows the line, either") {
  const std::string value = "ghp_0123456789abcdefghijklmnopqrstuv";
  const std::string env = "[{name: GIT, value: " + value + "}]";
  const auto report = [](const std::string& text) {
    std::string out;
    const trainjobc::Compilation compiled = lint(text);
    for (const auto& found : compiled.diagnostics.items())
      out += format_text(found, {}) + found.message + found.hint;
    return out;
  };
  for (const std::string& text :
       {with_env("{jax: {}}", "[{name: GIT, value: x}]", env),
        runtime("{numNodes: 1}", trainer()) + job("  trainer: {numProcPerNode: 2, env: " + env + "}\n"),
        runtime("{torch: {}}", trainer("                  env: " + env + "\n")) +
            job("  trainer: {env: [{name: GIT, value: z}]}\n"),
        runtime("{torch: {}}", trainer()) + job("  trainer: {args: [--key=" + value + ", " + value + "]}\n"),
        runtime("{torch: {}}", trainer()) +
            job("  runtimePatches:\n  - manager: a.com/b\n    trainingRuntimeSpec: {template: {spec: "
                "{replicatedJobs: [{name: node, "
                "template: {spec: {template: {spec: {containers: [{name: side, env: " +
                env + "}]}}}}}]}}}\n")}) {
    const std::string out = report(text);
    CHECK(out.find("advice/plain-secret") != std::string::npos);
    CHECK(out.find(value.substr(0, 12)) == std::string::npos);
  }
}

TEST_CASE("advice/plain-secret: a value of several lines, and the lines below it") {
  const std::string text = runtime("{torch: {}}", trainer()) + job(R"(  trainer:
    env:
    - name: DEPLOY_KEY
      value: |
        -----BEGIN PRIVATE KEY-----
        c2VjcmV0
        -----END PRIVATE KEY-----
    - {name: B, value: 1}
    image: img
)");
  const trainjobc::Compilation compiled = lint(text);
  std::string out;
  for (const auto& found : compiled.diagnostics.items()) out += format_text(found, {});
  CHECK(
      out ==
      R"(in.yaml:30:13: warning: DEPLOY_KEY looks like a private key and is in plain text here [advice/plain-secret]
   30 |     - name: DEPLOY_KEY
      |             ^~~~~~~~~~ take it from a Secret: valueFrom: {secretKeyRef: {name: …, key: …}}
in.yaml:35:24: error: spec.trainer.env[1].value must be a string, not the integer 1 [input/type]
   35 |     - {name: B, value: 1}
      |                        ^ quote it: "1"
in.yaml:36:12: warning: image "img" has no tag: every pull gets whatever is "latest" at that moment [advice/image-tag]
   36 |     image: img
      |            ^~~ pin a version or a digest
)");
}

TEST_CASE("advice/plain-secret: errors of any stage, and of runtimes, don't show the line either") {
  const std::string value = "glpat-0123456789abcdefghij";
  const std::string env = "env: [{name: GIT, value: " + value + "}]";
  for (const std::string& text :
       {runtime("{torch: {}}", trainer()) + job("  trainer: {imag: a, " + env + "}\n"),
        runtime("{torch: {}}",
                "      replicatedJobs: [{name: node, template: {metadata: {labels: "
                "{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: "
                "{containers: [{name: main, image: a, " +
                    env + "}]}}}}}]\n") +
            job("  trainer: {}\n"),
        job("  trainer: {numNodes: 0, " + env + "}\n")}) {
    const trainjobc::Compilation compiled = lint(text);
    CHECK(compiled.diagnostics.has_errors());
    for (const auto& found : compiled.diagnostics.items()) {
      CHECK(format_text(found, {}).find(value) == std::string::npos);
    }
  }
}

TEST_CASE("advice/plain-secret: files that can't be read show no secret") {
  const auto report = [](const std::string& text) {
    const trainjobc::Compilation compiled = lint(text);
    std::string out;
    for (const auto& found : compiled.diagnostics.items()) out += format_text(found, {});
    return out;
  };
  CHECK(report("a: {b: \"x\ny: 1\n") != "");
  for (const std::string& text : {
           // in the line itself, under a name, over a name
           std::string("key: hf_0123456789abcdefghijs3cret: [\n"),
           std::string("- name: HF_TOKEN\n  value: \"s3cret\n"),
           std::string("- value: 's3cret' 'x'\n  name: HF_TOKEN\n"),
           // a Secret, in YAML of both styles and JSON
           std::string("kind: Secret\nstringData:\n  a: x\n  a: s3cret\n"),
           std::string("stringData:\n  a: x\n  a: s3cret\nkind: 'Secret'\n"),
           std::string("a: 1\n---\n{data: {a: x, a: s3cret}, kind: \"Secret\"}\n---\n"),
           std::string("{\"kind\": \"Secret\", \"data\": {\"a\": \"s3cret\", \"a\": 1}}"),
           // in a private key
           std::string(
               "a: |\n  -----BEGIN EC PRIVATE KEY-----\n  xx\n s3cret: [\n  -----END EC PRIVATE KEY-----\n"),
       }) {
    const std::string out = report(text);
    INFO(text);
    CHECK(out.find("error: ") != std::string::npos);
    CHECK(out.find("s3cret") == std::string::npos);
  }
  // a document beside a Secret is shown
  CHECK(report("kind: Secret\n---\nb: x\nb: shown\n---\nkind: Secret\n") ==
        R"(in.yaml:4:1: error: key "b" is set twice in this map [yaml/duplicate-key]
    4 | b: shown
      | ^ remove one of the two
  note: first set here at in.yaml:3:1
)");
  CHECK(report("kind: SecretStore\nb: x\nb: shown\n") ==
        R"(in.yaml:3:1: error: key "b" is set twice in this map [yaml/duplicate-key]
    3 | b: shown
      | ^ remove one of the two
  note: first set here at in.yaml:2:1
)");
}

TEST_CASE("advice/plain-secret: names that only sound like a secret's") {
  for (const char* env :
       {"{name: PAD_TOKEN, value: \"[PAD]\"}", "{name: MAX_TOKEN, value: \"4096\"}",
        "{name: HF_TOKEN, value: $(HUB)}", "{name: DB_PASSWORD_FILE, value: /run/pw}",
        "{name: SECRET_NAME, value: my-secret}", "{name: HF_TOKEN, value: \"\"}",
        "{name: HF_TOKEN, valueFrom: {secretKeyRef: {name: s, key: k}}}",
        "{name: MODEL, value: sk-learn-distributed-trainer}", "{name: NCCL_DEBUG, value: INFO}",
        "{name: API_TOKEN, value: \"<your token>\"}", "{name: TOKENIZERS_PARALLELISM, value: \"false\"}"}) {
    INFO(env);
    CHECK(advice("advice/plain-secret", with_env("{torch: {}}", "[]", std::string("[") + env + "]")) == "");
  }
}

TEST_CASE("advice: rendering gives none") {
  trainjobc::Options options;
  options.use_catalogue = false;
  const std::string text = with_env("{jax: {}}", "[{name: A, value: x}]", "[{name: A, value: z}]");
  const trainjobc::Compilation compiled = trainjobc::compile_sources({{"in.yaml", text}}, {}, options);
  CHECK(compiled.objects.size() == 1);
  CHECK(compiled.diagnostics.empty());
}

TEST_CASE("advice/env-value-dropped: two sources of one variable") {
  const auto env = [](const std::string& item) {
    return advice("advice/env-value-dropped",
                  runtime("{torch: {}}", trainer()) + job("  trainer: {env: [" + item + "]}\n"));
  };
  CHECK(
      env("{name: A, value: b, valueFrom: {fieldRef: {fieldPath: metadata.name}}}") ==
      R"(in.yaml:28:29: warning: A has both value and valueFrom: the controller drops value [advice/env-value-dropped]
   28 |   trainer: {env: [{name: A, value: b, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}
      |                             ^~~~~ remove one of the two
)");
  CHECK(env("{name: A, value: b}") == "");
  const std::string secret =
      env("{name: DB_PASSWORD, value: hunter2, valueFrom: {secretKeyRef: {name: a, key: b}}}");
  CHECK(
      secret ==
      R"(in.yaml:28:39: warning: DB_PASSWORD has both value and valueFrom: the controller drops value [advice/env-value-dropped]
  hint: remove one of the two
)");
  CHECK(secret.find("hunter2") == std::string::npos);
  CHECK(env("{name: A, value: \"\", valueFrom: {fieldRef: {fieldPath: metadata.name}}}") == "");
}

}  // namespace trainjobc::advice_env_test
