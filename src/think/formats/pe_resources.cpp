#include "think/formats/pe_resources.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "think/formats/utf16.h"

namespace gpuway::pe {
namespace {

constexpr std::uint32_t kVersion = 16, kManifest = 24;   // RT_VERSION, RT_MANIFEST
constexpr std::uint32_t kSubfolder = 0x80000000U;
constexpr std::uint64_t kMaxEntries = 4096, kMaxResource = 65536;
constexpr std::uint32_t kFixedSignature = 0xFEEF04BD;

struct Entry {
  std::uint32_t id, place;
};

struct DataEntry {
  std::uint32_t address, size, code_page, reserved;
};

// The three levels of the tree: kind, name, language.
class Tree {
 public:
  Tree(BlockReader& reader, const Layout& layout, std::uint64_t base) : reader_(reader), layout_(layout), base_(base) {}

  // The bytes of the first resource of a kind.
  std::optional<std::string> first(std::uint32_t kind) {
    auto place = find(0, kind);
    for (int level = 0; place && level < 2; ++level) {
      if ((*place & kSubfolder) == 0) return std::nullopt;
      place = find(*place & ~kSubfolder, std::nullopt);
    }
    if (!place || (*place & kSubfolder) != 0) return std::nullopt;
    const auto data = reader_.number<DataEntry>(base_ + *place);
    if (!data || data->size > kMaxResource) return std::nullopt;
    const auto offset = layout_.offset_of(data->address);
    std::string bytes(data->size, '\0');
    if (!offset || !reader_.copy(*offset, bytes.data(), bytes.size())) return std::nullopt;
    return bytes;
  }

 private:
  // Where the entry of this id (or the first one) of a folder leads.
  std::optional<std::uint32_t> find(std::uint32_t folder, std::optional<std::uint32_t> id) {
    const auto named = reader_.number<std::uint16_t>(base_ + folder + 12), numbered = reader_.number<std::uint16_t>(base_ + folder + 14);
    if (!named || !numbered) return std::nullopt;
    const auto count = std::min<std::uint64_t>(std::uint64_t{*named} + *numbered, kMaxEntries);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto entry = reader_.number<Entry>(base_ + folder + 16 + i * sizeof(Entry));
      if (!entry) return std::nullopt;
      if (!id || entry->id == *id) return entry->place;
    }
    return std::nullopt;
  }

  BlockReader& reader_;
  const Layout& layout_;
  std::uint64_t base_;
};

std::string four_numbers(std::uint32_t high, std::uint32_t low) {
  return std::to_string(high >> 16) + "." + std::to_string(high & 0xFFFF) + "." + std::to_string(low >> 16) + "." +
         std::to_string(low & 0xFFFF);
}

// A text of StringFileInfo: its name and value are UTF-16, the value begins at the next multiple of four bytes.
std::string version_text(std::string_view bytes, std::string_view name) {
  std::string key;
  for (const char c : name) {
    key += c;
    key += '\0';
  }
  key += std::string(2, '\0');
  const auto at = bytes.find(key);
  if (at == std::string_view::npos) return {};
  const auto begin = (at + key.size() + 3) / 4 * 4;
  auto end = begin;
  while (end + 1 < bytes.size() && (bytes[end] != '\0' || bytes[end + 1] != '\0')) end += 2;
  return begin < end ? std::string(trim(utf16le_to_utf8(bytes.substr(begin, end - begin)))) : std::string();
}

void read_version(const std::string& bytes, PeSummary& out) {
  const ByteView view(bytes);
  for (std::uint64_t at = 0; at + 16 <= bytes.size(); at += 4) {
    if (view.number<std::uint32_t>(at) != kFixedSignature) continue;
    out.file_version = four_numbers(*view.number<std::uint32_t>(at + 8), *view.number<std::uint32_t>(at + 12));
    break;
  }
  out.product_version = version_text(bytes, "ProductVersion");
  out.product_name = version_text(bytes, "ProductName");
  out.company = version_text(bytes, "CompanyName");
}

// The value of an attribute of an XML tag's text.
std::string attribute(std::string_view tag, std::string_view name) {
  for (auto at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
    const auto rest = trim(tag.substr(at + name.size()));
    if (!rest.starts_with('=')) continue;
    const auto value = trim(rest.substr(1));
    if (value.empty() || (value.front() != '"' && value.front() != '\'')) continue;
    const auto end = value.find(value.front(), 1);
    if (end != std::string_view::npos) return std::string(value.substr(1, end - 1));
  }
  return {};
}

// Only two things are wanted of the XML: which assemblies stand in <dependency>, and longPathAware.
void read_manifest(std::string_view xml, PeSummary& out) {
  for (auto at = xml.find("<dependency"); at != std::string_view::npos; at = xml.find("<dependency", at + 1)) {
    const auto end = xml.find("</dependency>", at);
    const auto part = xml.substr(at, end == std::string_view::npos ? end : end - at);
    const auto identity = part.find("<assemblyIdentity");
    if (identity == std::string_view::npos) continue;
    const auto name = attribute(part.substr(identity, part.find('>', identity) - identity), "name");
    if (!name.empty() && std::find(out.assemblies.begin(), out.assemblies.end(), name) == out.assemblies.end()) out.assemblies.push_back(name);
  }
  const auto aware = xml.find("longPathAware");
  const auto open = aware == std::string_view::npos ? aware : xml.find('>', aware);
  out.long_path_aware = open != std::string_view::npos && to_lower(trim(xml.substr(open + 1, 8))).starts_with("true");
}

}  // namespace

void read_resources(BlockReader& reader, const Layout& layout, PeSummary& out) {
  const auto range = layout.directories[kResource];
  if (range.address == 0) return;
  const auto base = layout.offset_of(range.address);
  if (!base) return;
  Tree tree(reader, layout, *base);
  if (const auto version = tree.first(kVersion)) read_version(*version, out);
  if (const auto manifest = tree.first(kManifest)) read_manifest(*manifest, out);
}

}  // namespace gpuway::pe
