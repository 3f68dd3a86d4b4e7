// SPDX-License-Identifier: Apache-2.0

#include "base/files/file_system.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace trainjobc::file_system_test {
namespace fs = std::filesystem;

namespace {

// A folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "trainjobc-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path path;
};

std::string error_of(const base::IoResult<std::string>& result) {
  const auto* error = std::get_if<base::IoError>(&result);
  return error ? error->message : "";
}

std::string kinds_in(const fs::path& folder) {
  const base::RealFileSystem files;
  const auto listed = files.list(folder.string());
  std::string text;
  for (const base::DirectoryEntry& entry : std::get<std::vector<base::DirectoryEntry>>(listed)) {
    constexpr std::string_view kWords[] = {"none", "file", "directory", "other", "broken"};
    text += entry.name + (entry.is_link ? " link " : " ") +
            std::string(kWords[static_cast<size_t>(entry.kind)]) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a directory's entries, by name: targets of links, and non-files") {
  const Folder folder;
  std::ofstream(folder.path / "a.yaml") << "a";
  fs::create_directory(folder.path / "below");
  fs::create_symlink("a.yaml", folder.path / "file");
  fs::create_directory_symlink(".", folder.path / "here");
  fs::create_symlink("loop", folder.path / "loop");
  CHECK(::mkfifo((folder.path / "pipe").c_str(), 0600) == 0);
  std::ofstream(folder.path / "\xFF.yaml") << "a";
  CHECK(kinds_in(folder.path) ==
        "a.yaml file\nbelow directory\nfile link file\nhere link directory\nloop link broken\npipe other\n"
        "\xFF.yaml file\n");
}

TEST_CASE("a file that a killed process left is removed, one of a process that lives is not") {
  const Folder folder;
  const fs::path path = folder.path / "a.yaml";
  const fs::path left = folder.path / ".trainjobc-6d6170e5";  // what "a.yaml" is written to
  std::ofstream(left) << "half";
  CHECK_FALSE(base::RealFileSystem().write(path.string(), "one", 0666).has_value());
  CHECK(kinds_in(folder.path) == "a.yaml file\n");
  std::ofstream(left) << "half";
  const int descriptor = ::open(left.c_str(), O_RDONLY | O_CLOEXEC);
  CHECK(::flock(descriptor, LOCK_EX) == 0);
  CHECK_FALSE(base::RealFileSystem().write(path.string(), "two", 0666).has_value());
  CHECK(kinds_in(folder.path) == ".trainjobc-6d6170e5 file\na.yaml file\n");
  CHECK(base::RealFileSystem().text_of(path.string()) == "two");
  ::close(descriptor);
  CHECK_FALSE(base::RealFileSystem().replace(path.string(), "two", "three").has_value());
  CHECK(kinds_in(folder.path) == "a.yaml file\n");
}

TEST_CASE("reading ends at the maximum size, at once for a file that reports a larger one") {
  const Folder folder;
  const base::RealFileSystem files;
  CHECK(error_of(files.read("/dev/zero")) ==
        "read /dev/zero: larger than 128 MiB, which is too large for a manifest");
  const std::string sparse = (folder.path / "sparse.yaml").string();
  std::ofstream(sparse) << "a";
  fs::resize_file(sparse, uintmax_t{5} << 30U);
  CHECK(error_of(files.read(sparse)) ==
        "read " + sparse + ": larger than 128 MiB, which is too large for a manifest");
}

TEST_CASE("a named pipe is read to its end") {
  const Folder folder;
  const std::string pipe = (folder.path / "pipe").string();
  CHECK(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << "kind: TrainJob\n"; });
  const base::RealFileSystem files;
  const auto text = files.read(pipe);
  writer.join();
  CHECK(std::get<std::string>(text) == "kind: TrainJob\n");
}

TEST_CASE("reading errors give the reason") {
  const Folder folder;
  const base::RealFileSystem files;
  const std::string loop = (folder.path / "loop").string();
  fs::create_symlink("loop", loop);
  CHECK(error_of(files.read(loop)) == "open " + loop + ": Too many levels of symbolic links");
  CHECK(error_of(files.read(folder.path.string())) == "read " + folder.path.string() + ": Is a directory");
  CHECK(files.kind(loop) == base::FileKind::Broken);
  CHECK(files.kind((folder.path / "nothing").string()) == base::FileKind::None);
  const auto listed = files.list(loop);
  CHECK(std::get<base::IoError>(listed).message == "list " + loop + ": Too many levels of symbolic links");
}

}  // namespace trainjobc::file_system_test
