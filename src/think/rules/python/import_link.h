#pragma once

#include <string>

#include "think/rules/frameworks/framework_chains.h"

namespace gpuway {

/// What `import <framework>` takes.
struct ImportResult {
  const ImportCandidate* winner = nullptr;      // nullptr: nothing on the search path answers
  const PythonPackage* distribution = nullptr;  // the installed distribution those files belong to, when one does
  std::string folder;                           // of the winning package; empty when there is nothing to look into
};

/// Judges which package wins the import: no file at all, a local file or folder in front, a copy from outside the
/// environment, two distributions in one folder, leftovers, missing key files. Sets chain.package and chain.version.
/// Shadowed modules that the import asks for later are judged by judge_interpreter_link.
ImportResult judge_import_link(ChainBuilder& chain, const FrameworkRule& rule);

/// The folder of the search path that a candidate lies in; an empty one with origin "" when the index is not sound.
const SearchFolder& search_folder(const ChainBuilder& chain, const ImportCandidate& candidate);
/// Whether the folder is the script's own or comes from PYTHONPATH, so that it stands before the standard library.
bool is_in_front(const SearchFolder& folder);
/// Whether the folder belongs to the environment itself: not the script, PYTHONPATH, the user's or another prefix's
/// site.
bool is_own_site(const ChainBuilder& chain, const SearchFolder& folder);
/// The distribution that brings the winning copy of a module: the one in the same folder, else the first of that name.
const PythonPackage* provider_of(const ChainBuilder& chain, std::string_view module);
/// Whether a file exists, without reading it: known, absent, or undetermined until it was fetched through Wants.
FactState file_state(ChainBuilder& chain, const std::string& path);

}  // namespace gpuway
