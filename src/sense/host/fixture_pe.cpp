#include <algorithm>

#include "base/text.h"
#include "sense/host/fixture_bytes.h"

namespace gpuway {
namespace {

constexpr std::uint32_t kHeaders = 0x400, kDataAddress = 0x1000, kAlign = 0x200;
constexpr std::uint16_t kX86 = 0x14c;

template <class T>
void put(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFF);
}

template <class T>
void put_at(std::string& out, std::size_t at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out[at + i] = static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFF);
}

std::string padded(std::string text, std::size_t align) {
  text.resize((text.size() + align - 1) / align * align, '\0');
  return text;
}

std::string utf16(std::string_view ascii) {
  std::string out;
  for (const char c : ascii) {
    out += c;
    out += '\0';
  }
  return out + std::string(2, '\0');
}

// The one data section: tables whose addresses count from kDataAddress.
class Data {
 public:
  explicit Data(bool is_64) : is_64_(is_64) {}
  std::uint32_t here() const { return kDataAddress + static_cast<std::uint32_t>(bytes_.size()); }
  std::uint32_t add(const std::string& bytes) {
    bytes_ = padded(std::move(bytes_), 8);
    const auto at = here();
    bytes_ += bytes;
    return at;
  }
  std::uint32_t text(const std::string& text) { return add(text + std::string(1, '\0')); }
  std::string take() { return std::move(bytes_); }

  std::uint32_t imports(const PeStub& stub) {
    if (stub.imports.empty()) return 0;
    std::string rows;
    for (std::size_t i = 0; i < stub.imports.size(); ++i) {
      std::string thunks;
      word(thunks, by_ordinal(1));   // which every stand-in exports: an import of nothing is passed over
      if (i == 0) {
        for (const auto& name : stub.asks) word(thunks, add(std::string(2, '\0') + name + std::string(1, '\0')));
      }
      word(thunks, 0);
      const auto names = add(thunks), addresses = add(thunks), library = text(stub.imports[i]);
      for (const std::uint32_t value : {names, std::uint32_t{0}, std::uint32_t{0}, library, addresses}) put(rows, value);
    }
    return add(rows + std::string(20, '\0'));
  }

  std::uint32_t delayed(const std::vector<std::string>& libraries) {
    if (libraries.empty()) return 0;
    std::string rows;
    for (const auto& name : libraries) {
      const auto library = text(name);
      for (const std::uint32_t value : {std::uint32_t{1}, library, 0U, 0U, 0U, 0U, 0U, 0U}) put(rows, value);
    }
    return add(rows + std::string(32, '\0'));
  }

  // The directory's size covers its texts, so that forwarders lie inside it.
  std::pair<std::uint32_t, std::uint32_t> exports(std::vector<std::string> all) {
    all.emplace_back("any");
    std::sort(all.begin(), all.end());
    const auto start = add(std::string(40, '\0'));
    const auto place = bytes_.size() - 40;
    const auto code = std::uint32_t{kDataAddress - 0x10};   // in front of the directory: no forwarder
    std::string functions, names, ordinals;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto equals = all[i].find('=');
      put(functions, equals == std::string::npos ? code : text(all[i].substr(equals + 1)));
      put(names, text(all[i].substr(0, equals)));
      put(ordinals, static_cast<std::uint16_t>(i));
    }
    const auto library = text("STUB.dll"), function_table = add(functions), name_table = add(names), ordinal_table = add(ordinals);
    const auto count = static_cast<std::uint32_t>(all.size());
    std::string head;
    for (const std::uint32_t value : {0U, 0U, 0U, library, 1U, count, count, function_table, name_table, ordinal_table}) put(head, value);
    bytes_.replace(place, 40, head);
    return {start, here() - start};
  }

  // Three levels of one entry each, then the data.
  std::uint32_t version(const PeStub& stub) {
    if (stub.file_version.empty()) return 0;
    std::uint32_t numbers[4] = {};
    const auto parts = split(stub.file_version, '.');
    for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 4); ++i) numbers[i] = static_cast<std::uint32_t>(to_integer(parts[i]).value_or(0));
    std::string block(40, '\0');
    put(block, 0xFEEF04BDU);
    put(block, 0x10000U);
    put(block, numbers[0] << 16 | numbers[1]);
    put(block, numbers[2] << 16 | numbers[3]);
    block += std::string(36, '\0');
    for (const auto& [name, value] : {std::pair<std::string, std::string>{"ProductName", stub.product_name}, {"ProductVersion", stub.file_version}}) {
      block = padded(std::move(block), 4);
      block = padded(block + std::string(6, '\0') + utf16(name), 4) + utf16(value);
    }
    const auto start = add(std::string(3 * 24 + 16, '\0'));
    const auto base = static_cast<std::size_t>(start - kDataAddress);
    const auto data = add(block);
    for (std::uint32_t level = 0; level < 3; ++level) {
      const auto at = base + level * 24;
      put_at(bytes_, at + 14, std::uint16_t{1});
      put_at(bytes_, at + 16, level == 0 ? 16U : 1U);
      put_at(bytes_, at + 20, level == 2 ? 72U : 0x80000000U | (level + 1) * 24);
    }
    put_at(bytes_, base + 72, data);
    put_at(bytes_, base + 76, static_cast<std::uint32_t>(block.size()));
    return start;
  }

 private:
  std::uint64_t by_ordinal(std::uint64_t number) const { return (is_64_ ? std::uint64_t{1} << 63 : std::uint64_t{1} << 31) | number; }
  void word(std::string& out, std::uint64_t value) const {
    if (is_64_) {
      put(out, value);
    } else {
      put(out, static_cast<std::uint32_t>(value));
    }
  }

  bool is_64_;
  std::string bytes_;
};

void put_section(std::string& out, std::string name, std::uint32_t address, std::uint32_t offset, std::uint32_t size) {
  name.resize(8, '\0');
  out += name;
  for (const std::uint32_t value : {size, address, size, offset, 0U, 0U, 0U, 0x40000040U}) put(out, value);
}

}  // namespace

std::string pe_stub(const PeStub& stub) {
  const bool is_64 = stub.machine != kX86;
  Data data(is_64);
  const auto imports = data.imports(stub), delayed = data.delayed(stub.delayed_imports), version = data.version(stub);
  const auto [exports, export_size] = data.exports(stub.exports);
  for (const auto& text : stub.strings) data.text(text);
  const auto body = padded(data.take() + std::string(1, '\0'), kAlign);
  const auto code = stub.gpu_code.empty() ? std::string() : padded(gpu_code_container(stub.gpu_code), kAlign);

  std::string out = "MZ";
  out.resize(64, '\0');
  put_at(out, 0x3C, 64U);
  out += std::string("PE\0\0", 4);
  const std::uint16_t optional_size = is_64 ? 240 : 224;
  put(out, stub.machine);
  put(out, static_cast<std::uint16_t>(code.empty() ? 1 : 2));
  out += std::string(12, '\0');
  put(out, optional_size);
  put(out, static_cast<std::uint16_t>(stub.is_dll ? 0x2022 : 0x0022));
  const auto start = out.size();
  out.resize(start + optional_size, '\0');
  put_at(out, start, static_cast<std::uint16_t>(is_64 ? 0x20B : 0x10B));
  put_at(out, start + 60, kHeaders);
  const auto directories = start + (is_64 ? 112 : 96);
  put_at(out, directories - 4, 16U);
  const auto directory = [&](std::size_t index, std::uint32_t address, std::uint32_t size) {
    put_at(out, directories + index * 8, address);
    put_at(out, directories + index * 8 + 4, size);
  };
  directory(0, exports, export_size);
  directory(1, imports, imports == 0 ? 0 : 40);
  directory(2, version, version == 0 ? 0 : 88);
  directory(13, delayed, delayed == 0 ? 0 : 64);
  put_section(out, ".rdata", kDataAddress, kHeaders, static_cast<std::uint32_t>(body.size()));
  if (!code.empty()) {
    put_section(out, ".nv_fatb", 0x1000000, kHeaders + static_cast<std::uint32_t>(body.size()), static_cast<std::uint32_t>(code.size()));
  }
  out.resize(kHeaders, '\0');
  return out + body + code;
}

}  // namespace gpuway
