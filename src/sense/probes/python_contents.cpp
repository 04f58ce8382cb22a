#include "sense/probes/python_contents.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "sense/probes/python_environments.h"
#include "think/formats/python_records.h"
#include "think/formats/zip_names.h"

namespace gpuway {
namespace {

// In one folder: packages of which only the name is kept; packages whose metadata are read; of these such that only their
// kind of name is wanted (nvidia-*, or no version in the name).
constexpr std::size_t kMaxPackages = 10'000, kMaxRead = 10'000, kMaxReadByKind = 3'000;
// In one folder, and in all of them together.
constexpr std::uint64_t kMaxHeaderBytes = 64 << 20, kMaxAllHeaderBytes = 1 << 30;
constexpr std::size_t kMaxProblems = 200;  // of one environment
constexpr std::uint64_t kMaxHeaders = 4 << 20, kHeaderPart = 16 << 10, kMaxSmallFile = 64 << 10,
                        kMaxCondaRecord = 64 << 20;

// The order of importlib's FileFinder within one folder: a package, then a module by its ending; a plain folder last.
constexpr int kPackage = 0, kExtension = 1, kSource = 50, kBytecode = 51, kPlainFolder = 99;

bool is_customizer(std::string_view module) { return module == "sitecustomize" || module == "usercustomize"; }

/// The best candidate of each module in one folder.
class Candidates {
 public:
  void offer(std::string_view module, std::string path, ImportCandidate::Kind kind, int rank) {
    auto& best = best_[std::string(module)];
    if (!best.candidate.path.empty() && best.rank <= rank) return;
    best = {{std::string(module), std::move(path), kind, 0}, rank};
  }
  std::vector<ImportCandidate> take() {
    std::vector<ImportCandidate> out;
    for (auto& [module, best] : best_) out.push_back(std::move(best.candidate));
    return out;
  }

 private:
  struct Best {
    ImportCandidate candidate;
    int rank = 0;
  };
  std::map<std::string, Best> best_;
};

}  // namespace

bool ContentsReader::is_wanted(const std::string& name) const {
  return search_.distributions.contains(name) || name.starts_with("nvidia-");
}

// A site folder with a hundred thousand packages that all are wanted is no site folder of anybody; it must not cost more
// than a large one.
bool ContentsReader::may_read(const DistributionName& name) {
  const bool by_name = search_.distributions.contains(name.name);
  if (!by_name && !is_wanted(name.name) && !name.version.empty()) return false;
  if (read_ >= kMaxRead || header_bytes_ >= kMaxHeaderBytes || all_header_bytes_ >= kMaxAllHeaderBytes) return false;
  return by_name || ++read_by_kind_ <= kMaxReadByKind;
}

bool ContentsReader::is_wanted_module(std::string_view name) const {
  return is_customizer(name) || search_.modules.contains(std::string(name));
}

// Only up to the empty line: the description behind it is often ten times as long.
Result<std::string> ContentsReader::read_headers(const std::string& path) const {
  GPUWAY_TRY_ASSIGN(const auto file, host_.open_file(path));
  std::string text;
  const auto size = std::min(file->size(), kMaxHeaders);
  while (text.size() < size && !headers_end(text)) {
    const auto start = text.size();
    text.resize(std::min(size, start == 0 ? kHeaderPart : start * 4));
    GPUWAY_TRY_ASSIGN(const auto got, file->read(start, std::as_writable_bytes(std::span(text)).subspan(start)));
    text.resize(start + got);
    if (got == 0) break;
  }
  return text;
}

void ContentsReader::read_wheel_files(PythonPackage& package) {
  if (const auto installer = host_.read_file(package.location + "/INSTALLER", kMaxSmallFile))
    package.installer = trim(*installer);
  if (const auto wheel = host_.read_file(package.location + "/WHEEL", kMaxSmallFile)) {
    for (auto& [field, value] : parse_headers(*wheel)) {
      if (field == "tag") package.wheel_tags.push_back(std::move(value));
    }
  }
}

void ContentsReader::read_metadata(PythonPackage& package, FileKind kind, FolderContents& out) {
  ++read_;
  const bool is_wheel = package.location.ends_with(".dist-info");
  const auto path = is_wheel                                     ? package.location + "/METADATA"
                    : folders_.is_folder(package.location, kind) ? package.location + "/PKG-INFO"
                                                                 : package.location;
  const auto text = read_headers(path);
  if (!text) {
    out.problems.push_back(path + ": " + text.error().text());
  } else {
    header_bytes_ += text->size();
    all_header_bytes_ += text->size();
    package.metadata_read = true;
    for (const auto& [field, value] : parse_headers(*text)) {
      if (field == "name" && !value.empty()) package.name = normalized_name(value);
      if (field == "version" && !value.empty()) package.version = value;
      if (field == "requires-dist") package.requires_dist.push_back(value);
      if (field == "requires-python") package.requires_python = value;
      if (field == "provides-extra") package.extras.push_back(std::move(value));
    }
  }
  if (!is_wheel) return;
  read_wheel_files(package);
  const auto direct = package.location + "/direct_url.json";
  const auto origin = host_.read_file(direct, kMaxSmallFile);
  if (!origin) return;
  if (const auto url = parse_direct_url(*origin)) {
    package.direct_url = url->url;
    package.editable = url->editable;
  } else {
    out.problems.push_back(direct + ": " + url.error().text());
  }
}

void ContentsReader::read_packages(const std::string& folder, const FolderListing& listing, FolderContents& out) {
  const bool in_egg = folder.ends_with(".egg");
  std::size_t others = 0;
  read_ = read_by_kind_ = 0;
  header_bytes_ = 0;
  for (const auto& entry : listing.entries) {
    if (entry.name.starts_with('~')) {
      out.leftovers.push_back(join_path(folder, entry.name));
      continue;
    }
    auto name = parse_distribution_folder(entry.name);
    if (!name && in_egg && entry.name == "EGG-INFO") name = parse_egg_folder(file_name(folder));
    if (!name) continue;
    const bool wanted = may_read(*name);
    if (!wanted && ++others > kMaxPackages) continue;
    PythonPackage package;
    package.name = std::move(name->name);
    package.version = std::move(name->version);
    package.location = join_path(folder, entry.name);
    package.site = folder;
    if (wanted) read_metadata(package, entry.kind, out);
    out.packages.push_back(std::move(package));
  }
  if (others > kMaxPackages) {
    out.problems.push_back(folder + ": too-large: " + std::to_string(others) + " packages; only " +
                           std::to_string(kMaxPackages) + " are named");
  }
}

void ContentsReader::read_imports(const std::string& folder, const FolderListing& listing,
                                  const std::vector<std::string>& suffixes, FolderContents& out) {
  using Kind = ImportCandidate::Kind;
  Candidates candidates;
  auto endings = suffixes;
  endings.insert(endings.end(), {".py", ".pyc"});
  const auto offer_folder = [&](const FolderEntry& entry) {
    const auto path = join_path(folder, entry.name);
    for (const auto& ending : endings) {
      if (folders_.is_file(path + "/__init__" + ending))
        return candidates.offer(entry.name, path + "/__init__" + ending, Kind::package, kPackage);
    }
    if (folders_.is_folder(path, entry.kind)) candidates.offer(entry.name, path, Kind::namespace_folder, kPlainFolder);
  };
  const auto offer_file = [&](const FolderEntry& entry, std::string_view ending, Kind kind, int rank) {
    const auto module = std::string_view(entry.name).substr(0, entry.name.size() - ending.size());
    if (!entry.name.ends_with(ending) || !is_wanted_module(module)) return;
    const auto path = join_path(folder, entry.name);
    if (folders_.is_file(path, entry.kind)) candidates.offer(module, path, kind, rank);
  };
  for (const auto& entry : listing.entries) {
    const auto dot = entry.name.find('.');
    if (dot == std::string::npos) {
      if (entry.kind != FileKind::regular && is_wanted_module(entry.name)) offer_folder(entry);
      continue;
    }
    if (!is_wanted_module(std::string_view(entry.name).substr(0, dot))) continue;
    offer_file(entry, ".py", Kind::file, kSource);
    offer_file(entry, ".pyc", Kind::file, kBytecode);
    for (std::size_t i = 0; i < suffixes.size(); ++i)
      offer_file(entry, suffixes[i], Kind::extension, kExtension + static_cast<int>(i));
  }
  out.imports = candidates.take();
}

// An archive on the search path answers imports through zipimport, in this order; never with compiled modules.
void ContentsReader::read_archive(const std::string& path, FolderContents& out) {
  const auto file = host_.open_file(path);
  auto names = file ? read_zip_names(**file) : Result<std::vector<std::string>>(file.error());
  if (!names) {
    out.problems.push_back(path + ": " + names.error().text());
    return;
  }
  constexpr std::string_view endings[] = {"/__init__.pyc", "/__init__.py", ".pyc", ".py"};
  Candidates candidates;
  for (const auto& name : *names) {
    int rank = 0;
    for (const auto ending : endings) {
      ++rank;
      if (!name.ends_with(ending)) continue;
      const auto module = std::string_view(name).substr(0, name.size() - ending.size());
      if (is_wanted_module(module)) candidates.offer(module, join_path(path, name), ImportCandidate::Kind::zipped, rank);
    }
  }
  out.imports = candidates.take();
}

const FolderContents& ContentsReader::contents(const std::string& folder, const std::vector<std::string>& suffixes) {
  const auto key = folder + "\n" + (suffixes.empty() ? std::string() : suffixes.front());
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  FolderContents out;
  const auto& looked = folders_.look(folder);
  if (!looked.listing && folders_.is_file(folder)) {
    read_archive(folder, out);
  } else if (!looked.fault.empty()) {
    out.problems.push_back(looked.fault);
  }
  if (looked.listing) {
    read_packages(folder, *looked.listing, out);
    read_imports(folder, *looked.listing, suffixes, out);
  }
  return known_.emplace(key, std::move(out)).first->second;
}

std::vector<PythonPackage> ContentsReader::conda_packages(PythonEnvironment& environment) {
  std::vector<PythonPackage> packages;
  const auto folder = join_path(environment.path, "conda-meta");
  const auto* listing = folders_.list(folder);
  if (listing == nullptr) return packages;
  for (const auto& entry : listing->entries) {
    auto record = parse_conda_file_name(entry.name);
    if (!record) continue;
    if (packages.size() >= kMaxPackages && !is_wanted(record->name)) continue;
    PythonPackage package;
    package.location = join_path(folder, entry.name);
    package.installer = "conda";
    if (is_wanted(record->name) || record->name == "pytorch" || record->name.starts_with("tensorflow")) {
      const auto text = host_.read_file(package.location, kMaxCondaRecord);
      auto read = text ? parse_conda_record(*text) : Result<CondaRecord>(text.error());
      if (read) {
        record = read.take();
      } else {
        environment.problems.push_back(package.location + ": " + read.error().text());
      }
    }
    package.name = std::move(record->name);
    package.version = std::move(record->version);
    package.conda_build = std::move(record->build);
    package.conda_channel = std::move(record->channel);
    packages.push_back(std::move(package));
  }
  return packages;
}

void ContentsReader::merge_conda(PythonEnvironment& environment) {
  auto records = conda_packages(environment);
  if (records.empty()) return;
  std::map<std::string, std::size_t> by_name;
  for (std::size_t i = 0; i < environment.packages.size(); ++i) {
    const auto& package = environment.packages[i];
    by_name.emplace(package.name + "\n" + package.version, i);
  }
  for (auto& record : records) {
    // Conda's package of torch has another name than the distribution in it.
    const auto name = record.name == "pytorch" ? std::string("torch") : record.name;
    const auto found = by_name.find(name + "\n" + record.version);
    if (found == by_name.end()) {
      environment.packages.push_back(std::move(record));
      continue;
    }
    auto& package = environment.packages[found->second];
    package.conda_build = record.conda_build;
    package.conda_channel = record.conda_channel;
  }
}

void ContentsReader::read(const BasePython& base, PythonEnvironment& environment) {
  std::size_t more = 0;
  const auto report = [&](const std::string& text) {
    auto& problems = environment.problems;
    if (problems.size() >= kMaxProblems) {
      ++more;
    } else if (std::find(problems.begin(), problems.end(), text) == problems.end()) {
      problems.push_back(text);
    }
  };
  const bool has_user_site = environment.base_prefix == environment.path || environment.system_site_packages;
  for (std::size_t i = 0; i < environment.search_path.size(); ++i) {
    const auto& place = environment.search_path[i];
    if (!place.exists) continue;
    const auto& found = contents(place.path, base.extension_suffixes);
    for (const auto& text : found.problems) report(text);
    environment.packages.insert(environment.packages.end(), found.packages.begin(), found.packages.end());
    // pip leaves them in site folders; elsewhere the name means nothing.
    if (place.origin != "script" && place.origin != "stdlib")
      environment.leftovers.insert(environment.leftovers.end(), found.leftovers.begin(), found.leftovers.end());
    for (auto candidate : found.imports) {
      candidate.folder = static_cast<int>(i);
      // The folder of the script joins the path only after both have run.
      const bool runs = is_customizer(candidate.module) && place.origin != "script" &&
                        candidate.kind != ImportCandidate::Kind::namespace_folder &&
                        (candidate.module != "usercustomize" || has_user_site);
      if (runs) environment.customizers.push_back(candidate.path);
      if (search_.modules.contains(candidate.module)) environment.imports.push_back(std::move(candidate));
    }
  }
  if (more > 0) {
    environment.problems.push_back(environment.path + ": too-large: " + std::to_string(more) + " further files could not be read");
  }
  merge_conda(environment);
}

}  // namespace gpuway
