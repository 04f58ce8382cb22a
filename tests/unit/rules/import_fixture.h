#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "think/rules/frameworks/framework_chains.h"
#include "think/rules/python/python_links.h"

namespace gpuway {

/// A venv of Python 3.11 below /env whose current folder is /work, to which tests add what they need.
class ImportFixture : public testing::Test {
 protected:
  ImportFixture() {
    environment_.id = "e1";
    environment_.path = "/env";
    environment_.base_prefix = "/usr";
    environment_.executable = "/env/bin/python";
    environment_.real_executable = Fact<std::string>::known("/usr/bin/python3.11", {});
    environment_.version = Fact<std::string>::known("3.11.7", {});
    environment_.search_path = {{"/work", "script", true},
                                {"/lib/extra", "pythonpath", true},
                                {"/usr/lib/python3.11", "stdlib", true},
                                {kSite, "site", true}};
    snapshot_.system.architecture = Fact<std::string>::known("x86_64", {});
    snapshot_.system.cpu_flags = Fact<std::vector<std::string>>::known({"avx", "avx2"}, {});
  }

  static constexpr const char* kSite = "/env/lib/python3.11/site-packages";
  static constexpr int kScript = 0, kPythonPath = 1, kStdlib = 2, kOwn = 3;

  PythonPackage& installed(const std::string& name, const std::string& version, const std::string& site = kSite) {
    PythonPackage package;
    package.name = name;
    package.version = version;
    package.site = site;
    package.location = site + "/" + name + "-" + version + ".dist-info";
    environment_.packages.push_back(package);
    return environment_.packages.back();
  }
  /// A regular package that answers an import; candidates stay in search-path order.
  void module(const std::string& name, int folder = kOwn, ImportCandidate::Kind kind = ImportCandidate::Kind::package) {
    const auto& base = environment_.search_path[static_cast<std::size_t>(folder)].path;
    std::string path = base + "/" + name;
    if (kind == ImportCandidate::Kind::package) path += "/__init__.py";
    if (kind == ImportCandidate::Kind::file) path += ".py";
    const auto later = std::find_if(environment_.imports.begin(), environment_.imports.end(),
                                    [&](const ImportCandidate& c) { return c.folder > folder; });
    environment_.imports.insert(later, {name, path, kind, folder});
  }
  void text(const std::string& path, const std::string& content) {
    snapshot_.texts[path] = Fact<std::string>::known(content, {});
  }
  void needle(const std::string& path, const std::string& bytes, bool there) {
    snapshot_.needles[needle_key(path, bytes)] = Fact<bool>::known(there, {});
  }
  void file(const std::string& path, bool there) {
    BinaryView view;
    view.outcome = there ? BinaryView::Outcome::other_format : BinaryView::Outcome::missing;
    snapshot_.binaries[path] = view;
  }
  void texts_answered() {  // whatever is still asked for is not there
    for (const auto& [path, unused] : wants_.texts) snapshot_.texts.emplace(path, Fact<std::string>::absent({}));
    for (const auto& [path, unused] : wants_.binaries) {
      if (!snapshot_.binaries.contains(path)) file(path, true);
    }
    for (const auto& [key, unused] : wants_.needles) snapshot_.needles.emplace(key, Fact<bool>::known(false, {}));
    wants_ = {};
  }

  /// Judges the import and interpreter links as `check` does: again until nothing more is asked for.
  Chain judge(const std::string& framework) {
    for (int round = 0; round < 5; ++round) {
      findings_.clear();
      ChainBuilder chain(snapshot_, environment_, framework, wants_);
      folder_ = judge_python_links(chain, rule_of(chain));
      if (wants_.empty()) return chain.finish(0, findings_);
      texts_answered();
    }
    ADD_FAILURE() << "still wants something after five rounds";
    return {};
  }
  const Finding* finding(const std::string& id) const {
    const auto found = std::find_if(findings_.begin(), findings_.end(), [&](const Finding& f) { return f.id == id; });
    return found == findings_.end() ? nullptr : &*found;
  }

  Snapshot snapshot_;
  PythonEnvironment environment_;
  Wants wants_;
  std::vector<Finding> findings_;
  std::string folder_;
};

}  // namespace gpuway
