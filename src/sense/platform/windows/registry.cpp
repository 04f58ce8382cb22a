#include "sense/platform/windows/registry.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/text.h"
#include "sense/platform/windows/native.h"

namespace gpuway {
namespace {

constexpr DWORD kMaxValueBytes = 1 << 20;
constexpr DWORD kMaxEntries = 100'000;  // of one key
constexpr DWORD kMaxNameUnits = 16384;  // of a value's name, the system's own limit

class Key {
 public:
  explicit Key(HKEY key) : key_(key) {}
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  ~Key() { ::RegCloseKey(key_); }
  HKEY get() const { return key_; }

 private:
  HKEY key_;
};

std::optional<HKEY> root_of(std::string_view name) {
  const auto lower = to_lower(name);
  if (lower == "hklm" || lower == "hkey_local_machine") return HKEY_LOCAL_MACHINE;
  if (lower == "hkcu" || lower == "hkey_current_user") return HKEY_CURRENT_USER;
  if (lower == "hkcr" || lower == "hkey_classes_root") return HKEY_CLASSES_ROOT;
  if (lower == "hku" || lower == "hkey_users") return HKEY_USERS;
  return std::nullopt;
}

// The bytes of a text value need neither end with a NUL nor be a whole number of units.
std::wstring units_of(const std::vector<unsigned char>& bytes) {
  std::wstring text(bytes.size() / sizeof(wchar_t), L'\0');
  std::memcpy(text.data(), bytes.data(), text.size() * sizeof(wchar_t));
  return text;
}

template <class Number>
std::uint64_t number_of(const std::vector<unsigned char>& bytes) {
  Number value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

std::vector<std::string> list_of(const std::wstring& text) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  // An empty text ends the list; a list that is cut ends with the bytes.
  while (begin < text.size() && text[begin] != L'\0') {
    const auto end = std::min(text.find(L'\0', begin), text.size());
    out.push_back(narrow(std::wstring_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

RegistryValue value_of(DWORD type, const std::vector<unsigned char>& bytes) {
  RegistryValue value;
  switch (type) {
    case REG_SZ:
    case REG_EXPAND_SZ: {
      const auto text = units_of(bytes);
      value.text = narrow(std::wstring_view(text).substr(0, text.find(L'\0')));
      break;
    }
    case REG_MULTI_SZ:
      value.kind = RegistryValue::Kind::list;
      value.list = list_of(units_of(bytes));
      break;
    case REG_DWORD:
      value.kind = RegistryValue::Kind::number;
      value.number = number_of<std::uint32_t>(bytes);
      break;
    case REG_QWORD:
      value.kind = RegistryValue::Kind::number;
      value.number = number_of<std::uint64_t>(bytes);
      break;
    default:
      value.kind = RegistryValue::Kind::bytes;
      value.text.assign(bytes.begin(), bytes.end());
      break;
  }
  return value;
}

Status read_values(HKEY key, RegistryKey& out) {
  std::vector<wchar_t> name(kMaxNameUnits);
  std::vector<unsigned char> data;
  for (DWORD i = 0; i < kMaxEntries; ++i) {
    // Another process may make a value longer between the two questions.
    LSTATUS got = ERROR_MORE_DATA;
    DWORD units = 0, bytes = 4096, type = 0;
    for (int tries = 0; tries < 4 && got == ERROR_MORE_DATA && bytes <= kMaxValueBytes; ++tries) {
      data.resize(bytes);
      units = kMaxNameUnits;
      got = ::RegEnumValueW(key, i, name.data(), &units, nullptr, &type, data.data(), &bytes);
    }
    if (got == ERROR_NO_MORE_ITEMS) return Done{};
    if (got == ERROR_MORE_DATA) continue;
    if (got != ERROR_SUCCESS) return windows_error(static_cast<DWORD>(got), "read value");
    data.resize(bytes);
    out.values.insert_or_assign(narrow({name.data(), units}), value_of(type, data));
  }
  return Done{};
}

Status read_subkeys(HKEY key, RegistryKey& out) {
  wchar_t name[256];  // the system's own limit
  for (DWORD i = 0; i < kMaxEntries; ++i) {
    DWORD units = static_cast<DWORD>(std::size(name));
    const auto got = ::RegEnumKeyExW(key, i, name, &units, nullptr, nullptr, nullptr, nullptr);
    if (got == ERROR_NO_MORE_ITEMS) return Done{};
    if (got != ERROR_SUCCESS) return windows_error(static_cast<DWORD>(got), "read subkey");
    out.subkeys.push_back(narrow({name, units}));
  }
  return Done{};
}

}  // namespace

Result<RegistryKey> read_live_registry(const std::string& key, RegistryView view) {
  const auto slash = key.find('/');
  const auto root = root_of(std::string_view(key).substr(0, slash));
  if (!root || key.find('\0') != std::string::npos) return make_error(ErrorCode::not_found, key + ": no such key");
  auto path = slash == std::string::npos ? std::wstring() : wide(std::string_view(key).substr(slash + 1));
  std::replace(path.begin(), path.end(), L'/', L'\\');
  HKEY opened = nullptr;
  const REGSAM access = KEY_READ | (view == RegistryView::bits64 ? KEY_WOW64_64KEY : KEY_WOW64_32KEY);
  const auto fault = ::RegOpenKeyExW(*root, path.c_str(), 0, access, &opened);
  if (fault != ERROR_SUCCESS) return windows_error(static_cast<DWORD>(fault), "open key");
  const Key owner(opened);
  RegistryKey out;
  GPUWAY_TRY(read_values(opened, out));
  GPUWAY_TRY(read_subkeys(opened, out));
  return out;
}

}  // namespace gpuway
