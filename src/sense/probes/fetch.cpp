#include "sense/probes/fetch.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/parallel.h"
#include "base/path.h"
#include "base/text.h"
#include "sense/probes/nvidia_smi.h"
#include "think/formats/elf.h"
#include "think/formats/fatbin.h"
#include "think/formats/pe.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxNames = 65536;
constexpr std::uint64_t kMaxText = 1 << 20;
// TensorFlow 2.19's libtensorflow_cc has 1.1 GiB, and everything that is asked for may be in it; it is mapped, not copied.
constexpr std::uint64_t kMaxNeedleFile = std::uint64_t{2} << 30;

// The loader replay only asks listings for libraries, what redirects their search, and hardware folders.
bool windows_library_like(std::string_view name) {
  const auto lower = to_lower(name);
  return lower.ends_with(".dll") || lower.ends_with(".pyd") || lower.ends_with(".exe") || lower.ends_with(".manifest") ||
         lower.ends_with(".local");
}

bool library_like(std::string_view name) {
  return name.find(".so") != std::string_view::npos || name == "glibc-hwcaps" || name == "haswell" || name == "xeon_phi" ||
         name == "avx512_1" || name == "x86_64";
}

// A link whose own chain of links never ends. One that only stands below such a folder counts as not there, as for the
// loader.
bool is_link_loop(const Host& host, std::string path) {
  constexpr int kMaxLinks = 40;
  for (int i = 0; i <= kMaxLinks; ++i) {
    const auto target = host.read_link(path);
    if (!target) return false;
    path = join_path(parent_path(path), *target);
  }
  return true;
}

FolderView fetch_folder(const Host& host, bool windows, const std::string& path) {
  FolderView view;
  auto listing = host.list_matching(path, kMaxNames, windows ? &windows_library_like : &library_like);
  if (!listing) {
    view.reason = listing.error().code;
    view.detail = listing.error().text();
    switch (listing.error().code) {
      case ErrorCode::not_found: {
        const auto stat = host.stat(path, true);
        view.outcome = stat ? FolderView::Outcome::not_folder : FolderView::Outcome::missing;
        break;
      }
      case ErrorCode::access_denied: view.outcome = FolderView::Outcome::denied; break;
      default: view.outcome = FolderView::Outcome::unreadable; break;
    }
    return view;
  }
  if (!listing->complete) {
    view.reason = ErrorCode::too_large;
    view.detail = "more than " + std::to_string(kMaxNames) + " libraries";
    return view;
  }
  view.outcome = FolderView::Outcome::listed;
  for (auto& entry : listing->entries) view.names.push_back(std::move(entry.name));
  return view;
}

BinaryView fetch_binary(const Host& host, bool windows, const std::string& path) {
  BinaryView view;
  const auto source = host.open_file(path);
  if (!source) {
    view.reason = source.error().code;
    view.detail = source.error().text();
    switch (source.error().code) {
      case ErrorCode::not_found:
        view.outcome = is_link_loop(host, path) ? BinaryView::Outcome::link_loop : BinaryView::Outcome::missing;
        break;
      case ErrorCode::access_denied: view.outcome = BinaryView::Outcome::denied; break;
      case ErrorCode::unsupported: view.outcome = BinaryView::Outcome::not_regular; break;
      default: view.outcome = BinaryView::Outcome::unreadable; break;
    }
    return view;
  }
  view = windows ? classify_pe(**source) : classify_elf(**source);
  view.file_id = (*source)->identity();
  // Only a link, or a path through one, has another real path; the name is what people look for. Of other files only
  // their presence is asked.
  if (view.outcome == BinaryView::Outcome::other_format) {
    // No library of this system; what is asked of it all the same is what it would be on its own.
    if (view.detail == "pe") {
      if (auto pe = summarize_pe(**source)) view.pe = pe.take();
    }
    return view;
  }
  if (auto real = host.real_path(path)) view.real_path = real.take();
  return view;
}

Fact<bool> fetch_needle(const Host& host, const Wants::Needle& needle) {
  const Source source{Source::Kind::file, needle.path};
  const auto file = host.open_file(needle.path);
  if (!file) return Fact<bool>::from_error(file.error(), source);
  const auto size = (*file)->size();
  if (size > kMaxNeedleFile) {
    return Fact<bool>::undetermined(ErrorCode::too_large, std::to_string(size) + " bytes, limit " + std::to_string(kMaxNeedleFile), source);
  }
  const auto bytes = (*file)->view();
  if (!bytes) return Fact<bool>::undetermined(ErrorCode::unsupported, "the file cannot be mapped", source);
  // Skipping ahead by what the last letter tells reads a fraction of a large library's bytes. Holes are passed over.
  const auto* start = reinterpret_cast<const char*>(bytes->data());
  const std::boyer_moore_horspool_searcher searcher(needle.text.begin(), needle.text.end());
  for (auto data = (*file)->next_data(0); data.begin < data.end; data = (*file)->next_data(data.end)) {
    if (std::search(start + data.begin, start + data.end, searcher) != start + data.end) return Fact<bool>::known(true, source);
  }
  return Fact<bool>::known(false, source);
}

template <class T>
Fact<T> as_fact(Result<T> result, const std::string& path) {
  const Source source{Source::Kind::file, path};
  if (!result) return Fact<T>::from_error(result.error(), source);
  return Fact<T>::known(result.take(), source);
}

Fact<GpuCodeSummary> fetch_gpu_code(const Host& host, const std::string& path) {
  const auto file = host.open_file(path);
  if (!file) return Fact<GpuCodeSummary>::from_error(file.error(), {Source::Kind::file, path});
  return as_fact(summarize_gpu_code(**file), path);
}

}  // namespace

Fetcher::Fetcher(const Host& host, std::chrono::milliseconds limit)
    : host_(host), limit_(limit), symbols_([this](const std::string& path) -> Result<ByteView> {
        GPUWAY_TRY_ASSIGN(auto file, host_.open_file(path));
        const auto bytes = file->view();
        if (!bytes) return make_error(ErrorCode::unsupported, "the file cannot be mapped");
        files_.push_back(std::move(file));
        return *bytes;
      }) {}

bool Fetcher::fetch(const Wants& wants, Snapshot& snapshot) {
  bool added = false;
  constexpr std::size_t kFew = 32;   // of small reads cost as much as a thread
  // Reading is shared among the cores; the answers are put in afterwards.
  const auto fill = [&](const auto& wanted, auto& known, std::size_t grain, auto&& get) {
    using Key = std::string;
    using Answer = typename std::remove_cvref_t<decltype(known)>::mapped_type;
    std::vector<const typename std::remove_cvref_t<decltype(wanted)>::value_type*> open;
    for (const auto& item : wanted) {
      if (!known.contains(item.first)) open.push_back(&item);
    }
    std::vector<Answer> answers(open.size());
    for_each_index(open.size(), grain, [&](std::size_t i) { answers[i] = get(open[i]->first, open[i]->second); });
    for (std::size_t i = 0; i < open.size(); ++i) known.emplace(Key(open[i]->first), std::move(answers[i]));
    added = added || !open.empty();
  };
  const bool windows = snapshot.windows.has_value();
  fill(wants.folders, snapshot.folders, kFew, [&](const std::string& path, bool) { return fetch_folder(host_, windows, path); });
  fill(wants.binaries, snapshot.binaries, kFew, [&](const std::string& path, bool) { return fetch_binary(host_, windows, path); });
  fill(wants.texts, snapshot.texts, kFew, [&](const std::string& path, bool) { return as_fact(host_.read_file(path, kMaxText), path); });
  fill(wants.needles, snapshot.needles, 1, [&](const std::string&, const Wants::Needle& needle) { return fetch_needle(host_, needle); });
  fill(wants.gpu_code, snapshot.gpu_code, 1, [&](const std::string& path, bool) { return fetch_gpu_code(host_, path); });
  fill(wants.symbol_checks, snapshot.symbol_checks, 1, [&](const std::string&, const SymbolCheck& question) {
    return run_symbol_check(question, symbols_);
  });
  fill(wants.import_checks, snapshot.import_checks, 1, [&](const std::string&, const ImportCheck& question) {
    // TensorFlow's file has 900 MB; opened for one question, not kept.
    std::vector<std::unique_ptr<ByteSource>> files;
    return run_import_check(question, [&](const std::string& path) -> Result<ByteView> {
      GPUWAY_TRY_ASSIGN(auto file, host_.open_file(path));
      const auto bytes = file->view();
      if (!bytes) return make_error(ErrorCode::unsupported, "the file cannot be mapped");
      files.push_back(std::move(file));
      return *bytes;
    });
  });
  for (const auto& [path, question] : wants.driver_reports) {
    if (snapshot.driver.reports.contains(path)) continue;
    snapshot.driver.reports.emplace(path, host_.ask_driver({question.libcuda, question.libnvml, limit_}));
    added = true;
  }
  if (wants.nvidia_smi) {
    ask_nvidia_smi(host_, limit_, snapshot);
    added = true;
  }
  return added;
}

}  // namespace gpuway
