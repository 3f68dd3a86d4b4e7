// SPDX-License-Identifier: Apache-2.0

// Secrets are in the manifests, and nowhere else.
#include <doctest/doctest.h>

#include <map>

#include "secret/secret.h"
#include "support/advice.h"
#include "support/test_console.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::redact_test {
namespace {

constexpr const char* kToken = "hf_abcdefghij0123456789abcd";

std::string json(const yaml::Node& node) {
  std::string text;
  yaml::write_json(node, yaml::KeyOrder::AsIs, 0, text);
  return text;
}

const yaml::Node* marked(base::Arena& arena, const base::SourceFile& file) {
  base::Diagnostics diagnostics;
  const auto documents = yaml::read(file, arena, diagnostics);
  return secret::mark_secrets(*documents.front().root, yaml::Maker(arena));
}

std::string shown(const std::string& text) {
  base::Arena arena;
  const base::SourceFile file("a", text);
  return json(*secret::masked(*marked(arena, file), yaml::Maker(arena)));
}

// What a run prints on either stream.
std::string printed(const std::map<std::string, std::string>& inputs,
                    const std::vector<std::string>& arguments) {
  base::MemoryFileSystem files;
  for (const auto& [name, text] : inputs) files.files[name] = text;
  test::TestConsole console(files);
  cli::run(arguments, console);
  return console.out + console.err;
}

// Without keys; has_key agrees.
std::string hidden(std::string_view text) {
  std::string out = secret::without_keys(text);
  CHECK(secret::has_key(text) == (out != text));
  return out;
}

}  // namespace

TEST_CASE("redact: values under the name of a secret, of Secrets, and keys in any text") {
  CHECK(shown("{env: [{name: DB_PASSWORD, value: 87654321}, {name: A, value: b}]}") ==
        R"({"env":[{"name":"DB_PASSWORD","value":"***"},{"name":"A","value":"b"}]})");
  CHECK(shown("{env: {HF_TOKEN: x, A: b}, tls: {secretName: s}}") ==
        R"({"env":{"HF_TOKEN":"***","A":"b"},"tls":{"secretName":"s"}})");
  CHECK(shown("{kind: Secret, data: {a: eA==}, stringData: {b: 87654321}}") ==
        R"({"kind":"Secret","data":{"a":"***"},"stringData":{"b":"***"}})");
  CHECK(shown(std::string("{args: [--token=") + kToken + ", --x], s: 'export T=" + kToken + "; run'}") ==
        R"({"args":["--token=***","--x"],"s":"export T=***; run"})");
  CHECK(shown("{httpHeaders: [{name: Authorization, value: Basic abc}, {name: X-Api-Key, value: k}]}") ==
        R"({"httpHeaders":[{"name":"Authorization","value":"***"},{"name":"X-Api-Key","value":"***"}]})");
  CHECK(shown("{name: HF_TOKEN, value: $(OTHER)}") == R"json({"name":"HF_TOKEN","value":"$(OTHER)"})json");
  CHECK(shown("{name: API_KEY, value: [a, {b: c}]}") == R"({"name":"API_KEY","value":["***",{"b":"***"}]})");
}

TEST_CASE("redact: both sides of a difference") {
  base::Arena arena;
  const base::SourceFile before(
      "a", "[{name: A_TOKEN, value: one}, {name: B_TOKEN, value: same}, {name: C, value: x}]");
  const base::SourceFile after(
      "b", "[{name: B_TOKEN, value: same}, {name: A_TOKEN, value: two}, {name: C, value: z}]");
  const secret::BeforeAfter sides =
      secret::masked({marked(arena, before), marked(arena, after)}, yaml::Maker(arena));
  CHECK(
      json(*sides.before) ==
      R"json([{"name":"A_TOKEN","value":"*** (before)"},{"name":"B_TOKEN","value":"***"},{"name":"C","value":"x"}])json");
  CHECK(
      json(*sides.after) ==
      R"json([{"name":"B_TOKEN","value":"***"},{"name":"A_TOKEN","value":"*** (after)"},{"name":"C","value":"z"}])json");
}

TEST_CASE("redact: sides of different kinds are shown each by itself") {
  base::Arena arena;
  const yaml::Maker make(arena);
  const base::SourceFile list("a", "{a: [{name: A_TOKEN, value: one}]}");
  const base::SourceFile map("b", "{a: {A_TOKEN: two}}");
  const base::SourceFile scalar("c", "{a: x}");
  const auto sides = [&](const base::SourceFile& before, const base::SourceFile& after) {
    const secret::BeforeAfter shown = secret::masked({marked(arena, before), marked(arena, after)}, make);
    return json(*shown.before) + " " + json(*shown.after);
  };
  const std::string list_shown = R"({"a":[{"name":"A_TOKEN","value":"***"}]})";
  const std::string map_shown = R"({"a":{"A_TOKEN":"***"}})";
  const std::string scalar_shown = R"({"a":"x"})";
  CHECK(sides(list, map) == list_shown + " " + map_shown);
  CHECK(sides(map, list) == map_shown + " " + list_shown);
  CHECK(sides(scalar, list) == scalar_shown + " " + list_shown);
  CHECK(sides(list, scalar) == list_shown + " " + scalar_shown);
  CHECK(sides(map, scalar) == map_shown + " " + scalar_shown);
}

TEST_CASE("redact: elements of one name, and trees of any depth, on both sides") {
  base::Arena arena;
  const yaml::Maker make(arena);
  const base::SourceFile before("a", "[{name: A_TOKEN, value: one}, {name: A_TOKEN, value: two}, 1]");
  const base::SourceFile after("b", "[{name: A_TOKEN, value: two}, 1, 2]");
  const secret::BeforeAfter sides = secret::masked({marked(arena, before), marked(arena, after)}, make);
  CHECK(json(*sides.before) ==
        R"json([{"name":"A_TOKEN","value":"*** (before)"},{"name":"A_TOKEN","value":"***"},1])json");
  CHECK(json(*sides.after) == R"json([{"name":"A_TOKEN","value":"*** (after)"},1,2])json");

  // Far too deep for a walk that shows each pair once for each side.
  std::string text = "x";
  for (int level = 0; level < 30; ++level) text = "{a: [" + text + "]}";
  const base::SourceFile nested("c", text);
  const yaml::Node* deep = marked(arena, nested);
  CHECK(secret::masked({deep, deep}, make).after == deep);
}

TEST_CASE("redact: keys in a text") {
  const std::string token = kToken;
  CHECK(hidden(token) == "***");
  CHECK(hidden("hf_" + token) == "hf_***");
  CHECK(hidden("sk-a-model-of-many-words sk-a-model-of-many-words-2") == "sk-a-model-of-many-words ***");
  CHECK(hidden("user:word@a/b:1 https://user:word@a/b /user:word@a/b nfs:/user:word@a/b a/b:1@sha256:0/x") ==
        "user:***@a/b:1 https://user:***@a/b /user:***@a/b nfs:/user:***@a/b a/b:1@sha256:0/x");
  CHECK(hidden(token + "," + token + " " + token) == "***,*** ***");
  CHECK(hidden("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") == "***");  // letters only
  CHECK(hidden("hf_abcdefghijklmnopqrstuvwxyzabcd sk-Word-with-Some-Long-Hyphens") ==
        "hf_abcdefghijklmnopqrstuvwxyzabcd sk-Word-with-Some-Long-Hyphens");
  CHECK(hidden("x" + token + " hf_short1") == "x" + token + " hf_short1");
  CHECK(hidden("a\n-----BEGIN EC PRIVATE KEY-----\nb\n-----END EC PRIVATE KEY-----\nc") == "a\n***\nc");
  // Each of them begins what might be a key up to the end.
  std::string prefixes;
  for (int i = 0; i < 300'000; ++i) prefixes += "sk-";
  CHECK(hidden(prefixes) == prefixes);
}

TEST_CASE("redact: what a text gives to names") {
  const auto is_hidden = [](std::string before, const std::string& after = "") {
    const std::string secret = "q7w8e9r0t1y2u3i4o5p";
    const std::string text = before + secret + after;
    return hidden(text) == before + "***" + after;
  };
  for (const std::string name :
       {"PGPASSWORD", "MYSQL_PWD", "KAGGLE_KEY", "PRIVATE_KEY", "PASSPHRASE", "DB_PASS", "AZURE_STORAGE_KEY",
        "ENCRYPTION_KEY", "GITHUB_PAT", "JWT", "REDISCLI_AUTH", "SSHPASS", "aws_secret_access_key"}) {
    CHECK(is_hidden("export " + name + "=", "\nrun"));
    CHECK(is_hidden("import os; os.environ['" + name + "'] = '", "'"));
    CHECK(is_hidden("os.environ[\"" + name + "\"]=\"", "\"; x()"));
    CHECK(is_hidden("os.environ.setdefault(\"" + name + "\", \"", "\")"));
    CHECK(is_hidden("{\"" + name + "\": \"", "\"}"));
    CHECK(is_hidden("echo \"{\\\"" + name + "\\\": \\\"", "\\\"}\""));
    CHECK(is_hidden(name + ": ", "\nb: c"));
    CHECK(is_hidden(name + " = ", "\nb = c"));
  }
  CHECK(is_hidden("DefaultEndpointsProtocol=https;AccountName=a;AccountKey=", "==;EndpointSuffix=core") ==
        false);
  CHECK(hidden("AccountName=a;AccountKey=q7w8e9r0t1y2u3i4o5p/Q7+w==;EndpointSuffix=core") ==
        "AccountName=a;AccountKey=***;EndpointSuffix=core");
  CHECK(hidden("Server=s;User Id=u;Password=hunter22;x=y") == "Server=s;User Id=u;Password=***;x=y");
  CHECK(is_hidden("curl -H 'Authorization: Bearer ", "' http://x"));
  CHECK(is_hidden("curl -H \"Authorization: token ", "\" http://x"));
  CHECK(is_hidden("curl -H 'X-Api-Key: ", "' http://x"));
  CHECK(is_hidden("wget --header=\"PRIVATE-TOKEN: ", "\" http://x"));
  CHECK(is_hidden("h = {'Authorization': 'Bearer ", "'}"));
  CHECK(hidden("Authorization: Basic dXNlcjpwYXNzd29yZDE=") == "Authorization: Basic ***");
  CHECK(hidden("authorization is needed; authorization: none; curl -H 'Authorization: Basic "
               "dXNlcjpwYXNzd29yZDE='") ==
        "authorization is needed; authorization: none; curl -H 'Authorization: Basic ***'");
  CHECK(hidden("https://a.blob.core.windows.net/c?sv=1&sig=aB3%2FdE5gH7jK9mN1pQ2r%3D&x=1") ==
        "https://a.blob.core.windows.net/c?sv=1&sig=***&x=1");
  // A password may be short; a token is not.
  CHECK(hidden("run --db-password ab-123 --password 'ab/123' --passwd abcdef --hf-token ab-123 --db-password "
               "ab-12") ==
        "run --db-password *** --password 'ab/123' --passwd abcdef --hf-token ab-123 --db-password ab-12");
  // References, comparisons, words and paths are not secrets.
  for (const std::string text :
       {"export HF_TOKEN=$(cat /run/token0123456789)", "curl -H \"Authorization: Bearer $HF_TOKEN\" http://x",
        "if os.environ['HF_TOKEN'] == 'q7w8e9r0t1y2u3i4o5p': pass", "token = config.token_of_user_0123456789",
        "HF_TOKEN: required", "EOS_TOKEN = \"<|endoftext0123|>\"", "FORWARD_PASS=enabled-for-2024",
        "SORT_KEY=checkpoints/llama-3-8b/step-2024", "PARTITION_KEY=user_id_of_2024_region",
        "SSH_PUBLIC_KEY=q7w8e9r0t1y2u3i4o5p", "os.environ.get('HF_TOKEN', 'not-set-here')",
        "DB_PASSWORD=vault:secret/data/db0123456789", "[ \"$HF_TOKEN\" = \"q7w8e9r0t1y2u3i4o5p\" ]",
        "--pad-token q7w8e9r0t1y2u3i4o5p", "https://host/token:8080/a1b2c3d4e5f6g7h8"}) {
    CHECK(hidden(text) == text);
  }
}

TEST_CASE("redact: what commands are given") {
  for (const auto& [text, expected] : std::map<std::string, std::string>{
           {"wandb login 0123456789abcdef0123456789abcdef01234567", "wandb login ***"},
           {"wandb login --relogin 0123456789abcdef0123456789abcdef01234567", "wandb login --relogin ***"},
           {"cd /w && vault login q7w8e9r0t1y2u3i4o5pA; ls", "cd /w && vault login ***; ls"},
           {"curl -u admin:hunter2x http://x", "curl -u admin:*** http://x"},
           {"curl -uadmin:hunter2x http://x", "curl -uadmin:*** http://x"},
           {"curl --user-agent:hunter2x http://x", "curl --user-agent:hunter2x http://x"},
           {"curl --user 'admin:hunter2x' http://x", "curl --user 'admin:***' http://x"},
           {"aws configure set aws_secret_access_key q7w8e9r0t1y2u3i4o5pG",
            "aws configure set aws_secret_access_key ***"},
           {"npm config set //r.example/:_authToken q7w8e9r0t1y2u3i4o5pG",
            "npm config set //r.example/:_authToken ***"},
           {"sshpass -p hunter2x ssh h", "sshpass -p *** ssh h"},
           {"sshpass -phunter2x ssh h", "sshpass -p*** ssh h"},
           {"mysql -u root -phunter2x db", "mysql -u root -p*** db"},
           {"docker login -u me -p hunter2x r.example", "docker login -u me -p *** r.example"},
           {"echo hunter2x | docker login --password-stdin", "echo *** | docker login --password-stdin"},
           {"docker login -u somebody --password-stdin <<< hunter2x",
            "docker login -u somebody --password-stdin <<< ***"},
           {"cat <<< hunter2x", "cat <<< hunter2x"},
           {"echo 'root:hunter2x' | chpasswd", "echo 'root:***' | chpasswd"},
           {"redis-cli -a hunter2x ping", "redis-cli -a *** ping"},
           {"openssl rsa -passin pass:hunter2x", "openssl rsa -passin pass:***"},
           {"openssl enc -aes-256-cbc -k hunter2x -in a", "openssl enc -aes-256-cbc -k *** -in a"},
           {"mc alias set store http://minio:9000 admin hunter2x",
            "mc alias set store http://minio:9000 admin ***"},
           {"mcli alias set store http://minio:9000 admin hunter2x",
            "mcli alias set store http://minio:9000 admin ***"},
           {"skopeo copy --src-creds u:hunter2x docker://a docker://b",
            "skopeo copy --src-creds u:*** docker://a docker://b"},
           {"ssh-keygen -t ed25519 -N hunter2x -f k", "ssh-keygen -t ed25519 -N *** -f k"},
           {"run --auth q7w8e9r0t1y2u3i4o5pA --pat q7w8e9r0t1y2u3i4o5pB", "run --auth *** --pat ***"},
           {"export ROOT_PW=hunter22x", "export ROOT_PW=***"}}) {
    CHECK(hidden(text) == expected);
  }
  for (const std::string text : {"sshpass -p hunt1 ssh h",
                                 "sshpass -p $MY_PASSWORD ssh h",
                                 "sshpass -p -hunter2 ssh h",
                                 "sshpass -p a/hunter2 ssh h",
                                 "sshpass -p %hunter2 ssh h",
                                 "docker run -p 8080:80 me",
                                 "ssh-keygen -N '' -f k",
                                 "run --auth oidc --pat read-only",
                                 "mc alias set store http://minio:9000 $USER $PASS",
                                 "mc alias list store",
                                 "az login --tenant 0123456789abcdef0123456789abcdef",
                                 "wandb login $WANDB_API_KEY",
                                 "curl -u $USER:$PASS http://x",
                                 "curl -u user:$(cat /f) http://x",
                                 "docker login; echo hunter2x |",
                                 "kubectl create secret generic my-secret-0123456789ab",
                                 "sshpass -f /run/password ssh h",
                                 "pip config set global.index-url https://r.example/simple0123456789",
                                 "mysql -p db",
                                 "huggingface-cli login --token $HF_TOKEN"}) {
    CHECK(hidden(text) == text);
  }
}

TEST_CASE("redact: lines of files that could not be read") {
  const auto hides = [](const std::string& line) -> bool {
    return secret::guess_secret_lines(base::SourceFile("in.json", line))[1];
  };
  CHECK(hides(R"({"spec": {"env": [{"name": "ENCRYPTION_KEY", "value": "q7w8e9r0t1y2u3i4o5pA"}]}})"));
  CHECK(hides(R"({"spec": {"env": [{"name": "HF_TOKEN", "value": "of-the-team"}]}})"));
  CHECK_FALSE(hides(R"({"spec": {"env": [{"name": "PARTITION_KEY", "value": "user_id_of_2024_region"}]}})"));
}

TEST_CASE("redact: long commands and texts take time in proportion") {
  for (const std::string part : {"curl ", "login ", "set a_key ", "curl -u a:", "TOKEN=\"", "a_token: ",
                                 "sig=", "Authorization:", "bearer ", "<<< ", "'", "echo x | ", "\\\n"}) {
    std::string text;
    while (text.size() < 100'000) text += part;
    CHECK(hidden(text) == text);
  }
  std::string assigned;
  while (assigned.size() < 100'000) assigned += "TOKEN=";
  CHECK(hidden(assigned) == "TOKEN=***");
  std::string list = "a: [set";
  for (int i = 0; i < 20'000; ++i) list += ", --token, q7w8e9r0t1y2u3i4o5pA, login, curl";
  CHECK(shown("{" + list + "]}").find("q7w8") == std::string::npos);
}

TEST_CASE("redact: words of a command line") {
  CHECK(shown("{args: [--token, q7w8e9r0t1y2u3i4o5pA, --lr, 1]}") ==
        R"({"args":["--token","***","--lr",1]})");
  CHECK(shown("{args: [--kaggle-key, q7w8e9r0t1y2u3i4o5pA, --pad-token, q7w8e9r0t1y2u3i4o5pA]}") ==
        R"({"args":["--kaggle-key","***","--pad-token","q7w8e9r0t1y2u3i4o5pA"]})");
  CHECK(shown("{args: [--token, q7w8e9r0t1y2u3i4o5pA]}") == R"({"args":["--token","***"]})");
  CHECK(shown("{args: [--xToken, q7w8e9r0t1y2u3i4o5pA]}") == R"({"args":["--xToken","***"]})");
  CHECK(shown("{command: [wandb, login, 0123456789abcdef0123456789abcdef01234567]}") ==
        R"({"command":["wandb","login","***"]})");
  CHECK(shown("{args: [--token, $(HF_TOKEN), --password, /run/password]}") ==
        R"json({"args":["--token","$(HF_TOKEN)","--password","/run/password"]})json");
  CHECK(
      shown("{serviceAccountToken: {path: token, expirationSeconds: 3600}, topologyKey: kubernetes.io/x}") ==
      R"({"serviceAccountToken":{"path":"token","expirationSeconds":3600},"topologyKey":"kubernetes.io/x"})");
}

TEST_CASE("redact: lines of which a build has kept only the place") {
  // A finding at `line` of the file, with `kept` in the place of spec's value.
  const auto hides = [](const std::string& text, uint32_t line, const char* kept) {
    const base::SourceFile file("a.yaml", text);
    const base::SourceFile other("b.yaml", kept);
    base::Arena arena;
    const yaml::Maker make(arena);
    const yaml::Node& written = *marked(arena, file);
    const yaml::Entry& spec = written.entries()[0];
    base::Diagnostic finding;
    finding.location = {&file, line, 3};
    base::Diagnostics found;
    found.add(std::move(finding));
    const auto built = [&] {
      const yaml::Node* value = make.with_origin(*marked(arena, other), spec.value->origin());
      return make.map({{"spec", value, spec.key_origin}}, written.origin());
    };
    secret::hide_secrets(found, std::array{*kept ? built() : &written});
    return found.items()[0].hide_source;
  };
  const std::string block = std::string("spec:\n  token: ") + kToken + "\n  args:\n  - a\n";
  CHECK(hides(block, 2, ""));
  CHECK(hides(block, 2, "{}"));
  CHECK(hides(block, 2, "{token: x}"));
  CHECK_FALSE(hides(block, 3, ""));
  const std::string lines = "spec:\n  token: |\n    q7w8e9r0\n\n    t1y2u3i4\n  args:\n  - a\n";
  for (const uint32_t line : {2, 3, 5}) CHECK(hides(lines, line, ""));
  CHECK_FALSE(hides(lines, 6, ""));
  const std::string flow = std::string("spec: {token: ") + kToken + ", args: [a]}\n";
  CHECK(hides(flow, 1, ""));
  CHECK(hides(flow, 1, "{args: [a]}"));
  CHECK_FALSE(hides("spec: {token: $(TOKEN), args: [a]}\n", 1, "{args: [a]}"));
  CHECK(hides(std::string("spec: {token: ") + kToken + ", args: [a,\n b]}\n", 1, "{args: [a]}"));
  CHECK_FALSE(hides("spec: {token: $(TOKEN), args: [a]}\n", 1, ""));
}

TEST_CASE("redact: a line in braces that an object shares with another") {
  CHECK(
      printed(
          {{"a.json",
            R"({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Pod", "spec": {"command": ["curl -u me:hunter2x http://x"]}}, )"
            R"({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob"}]})"}},
          {"lint", "--no-config", "a.json"}) ==
      R"(a.json:1:140: error: metadata.name is required [input/required]
  hint: add name:

1 finding (1 error) in 1 of 1 file
)");
}

TEST_CASE("redact: messages and hints show no secret") {
  const std::string job = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n";
  const std::string spec = "spec:\n  runtimeRef: {name: torch-distributed}\n  trainer:\n    env:\n";
  CHECK(printed({{"a.yaml",
                  job + "metadata: {name: a}\n" + spec + "    - name: DB_PASSWORD\n      value: 87654321\n"}},
                {"lint", "--no-config", "a.yaml"}) ==
        R"(a.yaml:9:14: error: spec.trainer.env[0].value must be a string, not the integer *** [input/type]
  hint: quote it

1 finding (1 error) in 1 of 1 file; 1 fixable with --fix
)");
  CHECK(
      printed({{"a.yaml", job + "metadata:\n  name: a\n  labels:\n    tok: \"" + kToken + "!!\"\n" + spec +
                              "    - name: A\n      value: b\n"}},
              {"lint", "--no-config", "a.yaml"}) ==
      R"(a.yaml:6:10: error: the value "***!!" of label "tok" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit [input/label]
  hint: free text belongs in metadata.annotations

1 finding (1 error) in 1 of 1 file
)");
}

TEST_CASE("redact: no command but render prints a secret of the inputs") {
  const auto inputs = [](const std::string& value) {
    return test::runtime("{torch: {}}", test::trainer()) +
           test::job("  trainer:\n    args: [--token=" + std::string(kToken) + value + "]\n    env:\n" +
                     "    - {name: DB_PASSWORD, value: " + value +
                     "-hunter2}\n    - {name: B, value: " + value + "}\n");
  };
  const std::map<std::string, std::string> files{{"old/a.yaml", inputs("one")},
                                                 {"new/a.yaml", inputs("two")}};
  const std::vector<std::vector<std::string>> commands{
      {"lint", "--no-config", "new/a.yaml"},
      {"lint", "--no-config", "--format", "json", "new/a.yaml"},
      {"lint", "--no-config", "--format", "sarif", "new/a.yaml"},
      {"lint", "--no-config", "--format", "github", "new/a.yaml"},
      {"explain", "--no-config", "new/a.yaml"},
      {"explain", "--no-config", "--field", "env", "new/a.yaml"},
      {"explain", "--no-config", "-o", "json", "new/a.yaml"},
      {"render", "--no-config", "--mask-secrets", "--snapshot", "new/a.yaml"},
      {"diff", "--no-config", "old", "new"},
      {"diff", "--no-config", "--format", "json", "old", "new"},
      {"diff", "--no-config", "--format", "markdown", "old", "new"},
      {"diff", "--no-config", "--format", "unified", "old", "new"},
  };
  for (const std::vector<std::string>& command : commands) {
    const std::string text = printed(files, command);
    INFO(command[0], " ", command[2], " ", command[3], "\n", text);
    CHECK(!text.empty());
    CHECK(text.find("hunter2") == std::string::npos);
    CHECK(text.find("hf_abc") == std::string::npos);
  }
  // The inputs hold them, and diff says that they differ.
  CHECK(printed(files, {"diff", "--no-config", "--format", "unified", "old", "new"}).find("*** (before)") !=
        std::string::npos);
  CHECK(printed(files, {"render", "--no-config", "new/a.yaml"}).find("two-hunter2") != std::string::npos);
}

TEST_CASE("redact: reports on files of every kind hide the lines with secrets") {
  const std::string token = std::string("\"") + kToken + "\"";
  const std::string runtime =
      "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: ClusterTrainingRuntime, metadata: {name: a, labels: "
      "{k: "
      "\"" +
      std::string(kToken) + "\"}}}\n";
  CHECK(
      printed({{"a.yaml", runtime}, {"b.yaml", runtime}}, {"lint", "--no-config", "a.yaml", "b.yaml"}) ==
      R"(a.yaml:1:95: warning: runtime "a" has no label trainer.kubeflow.org/framework: the Kubeflow SDK ignores it [advice/framework-label]
  hint: add trainer.kubeflow.org/framework with the framework, such as mpi or deepspeed

b.yaml:1:92: error: ClusterTrainingRuntime//a is defined twice [input/duplicate-object]
  note: the first one at a.yaml:1:92

2 findings (1 error, 1 warning) in 2 of 2 files
)");
  const std::string job =
      "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: a}, spec: {runtimeRef: "
      "{name: "
      "torch-distributed}, trainer: {args: [" +
      token + "]}}} # trainjobc:ignore advice/image-tag -- x\n";
  CHECK(
      printed({{"a.yaml", job}, {"b.yaml", job}}, {"lint", "--no-config", "a.yaml", "b.yaml"}) ==
      R"(a.yaml:1:145: warning: this looks like a Hugging Face token and is in plain text here [advice/plain-secret]
  hint: read it from an env variable that a Secret fills

a.yaml:1:179: warning: this suppresses no finding of advice/image-tag [advice/unused-suppression]
  hint: remove it

b.yaml:1:78: error: TrainJob/default/a is defined twice [input/duplicate-object]
  note: the first one at a.yaml:1:78

3 findings (1 error, 2 warnings) in 2 of 2 files; 1 fixable with --fix=all
)");
  CHECK(printed({{"a.yaml", "a: 1\n"}, {".trainjobc.yaml", "{failOn: " + token + "}\n"}}, {"lint", "."}) ==
        R"(.trainjobc.yaml:1:10: error: failOn must be error, warning or never [config/invalid]
)");
  CHECK(
      printed({{"a.yaml", "a: 1\n"}, {".trainjobc.yaml", "{namespace: [" + token + "\n"}}, {"lint", "."}) ==
      R"(.trainjobc.yaml:1:13: error: this bracket is not closed before the end of the document [yaml/syntax]
  hint: close it
)");
  CHECK(
      printed(
          {{"a.yaml", job},
           {"q.yaml",
            "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: q, annotations: {k: " +
                token +
                "}}, spec: {resourceGroups: [{flavors: [{name: f, resources: [{name: cpu, nominalQuota: "
                "x}]}]}]}}\n"}},
          {"plan", "--no-config", "--quota", "q.yaml", "a.yaml"}) ==
      R"(q.yaml:1:211: error: "x" is not a quantity [input/type]
)");
}

TEST_CASE("redact: all lines of a quoted secret are hidden") {
  const std::string text =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec:\n"
      "  runtimeRef: {name: torch-distributed}\n"
      "  trainer: {env: [{name: HF_TOKEN, value: \"first \\\" half\n      second-half\"}], nods: 3,\n    "
      "nodez: 4}\n";
  CHECK(printed({{"a.yaml", text}}, {"lint", "--no-config", "a.yaml"}) ==
        R"(a.yaml:6:26: warning: HF_TOKEN looks like a secret and is in plain text here [advice/plain-secret]
  hint: take it from a Secret: valueFrom: {secretKeyRef: {name: …, key: …}}

a.yaml:7:23: error: unknown field "nods" in spec.trainer [input/unknown-field]
  hint: its fields are args, command, env, image, numNodes, numProcPerNode, resourcesPerNode

a.yaml:8:5: error: unknown field "nodez" in spec.trainer [input/unknown-field]
  hint: its fields are args, command, env, image, numNodes, numProcPerNode, resourcesPerNode

3 findings (2 errors, 1 warning) in 1 of 1 file
)");
}

TEST_CASE("redact: a secret in a command that is written with escapes") {
  const std::string hex = "0123456789abcdef0123456789abcdef01230000";
  const std::string text = "command: [bash, -c, \"wandb login " + hex + "\\ntorchrun t.py\"]\n";
  CHECK(secret::without_secrets("-" + text, text) ==
        "-command: [bash, -c, \"wandb login ***\\ntorchrun t.py\"]\n");
  // The password of an example is a word like others.
  const std::string url = "url: \"postgres://a:password@b/\\nc\"\n";
  CHECK(secret::without_secrets("+password: x\n", url) == "+password: x\n");
}

TEST_CASE("redact: of secrets that begin alike, the longest is hidden") {
  secret::SecretTexts texts;
  base::Arena arena;
  const base::SourceFile file("a",
                              "[{name: A_TOKEN, value: secret}, {name: B_TOKEN, value: secrets-1}, "
                              "{name: C_TOKEN, value: secrets}, {name: D_TOKEN, value: short}]");
  texts.collect(*marked(arena, file));
  CHECK(texts.hide("secret secrets secrets- secrets-1 secrets-12 secre short") ==
        "*** *** ***- *** ***2 secre short");
}

}  // namespace trainjobc::redact_test
