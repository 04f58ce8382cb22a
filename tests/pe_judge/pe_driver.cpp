// Says what gpuway reads of PE images, one JSON line per request; for judge.py.
//   pe_driver < requests     a path, or IMPORTER<tab>LIBRARY<tab>EXPORTER for an import check
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text.h"
#include "think/formats/pe.h"

namespace {

using gpuway::ByteView;
using Json = nlohmann::ordered_json;

// A mapped file; kept until the program ends.
gpuway::Result<ByteView> map(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info {};
  if (file < 0 || fstat(file, &info) != 0 || info.st_size == 0) return gpuway::make_error(gpuway::ErrorCode::not_found, path);
  const auto size = static_cast<std::size_t>(info.st_size);
  void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  return ByteView(std::span(static_cast<const std::byte*>(bytes), size));
}

Json check(const std::vector<std::string_view>& parts) {
  gpuway::ImportCheck question;
  question.importer = parts[0];
  question.library = parts[1];
  question.exporter = parts[2];
  const auto answer = gpuway::run_import_check(question, map);
  return {{"looked", answer.outcome == gpuway::ImportCheck::Outcome::looked},
          {"detail", answer.detail},
          {"missing", answer.missing},
          {"missing_count", answer.missing_count},
          {"forwarded_to", answer.forwarded_to}};
}

Json read(const std::string& path) {
  const auto bytes = map(path);
  if (!bytes) return {{"error", bytes.error().text()}};
  const gpuway::MemorySource source(*bytes);
  const auto pe = gpuway::summarize_pe(source);
  if (!pe) return {{"error", pe.error().text()}};
  return {{"machine", pe->machine},
          {"is_64", pe->is_64},
          {"characteristics", pe->characteristics},
          {"dll_characteristics", pe->dll_characteristics},
          {"imports", pe->imports},
          {"delayed_imports", pe->delayed_imports},
          {"export_name", pe->export_name},
          {"export_count", pe->export_count},
          {"file_version", pe->file_version},
          {"product_version", gpuway::to_json_text(pe->product_version)},
          {"product_name", gpuway::to_json_text(pe->product_name)},
          {"company", gpuway::to_json_text(pe->company)},
          {"sections", pe->sections},
          {"dependent_load_flags", pe->dependent_load_flags},
          {"load_end", pe->load_end}};
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    const auto parts = gpuway::split(line, '\t');
    std::cout << (parts.size() == 3 ? check(parts) : read(line)).dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
  }
  return 0;
}
