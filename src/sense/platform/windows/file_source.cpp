#include "sense/platform/windows/file_source.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "sense/platform/windows/links.h"
#include "sense/platform/windows/mapped_file.h"

namespace gpuway {
namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr DWORD kRecallOnOpen = 0x00040000,
                kRecallOnData = 0x00400000;  // FILE_ATTRIBUTE_RECALL_ON_OPEN, ..._ON_DATA_ACCESS

std::string hex(const unsigned char* bytes, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += "0123456789abcdef"[bytes[i] >> 4];
    out += "0123456789abcdef"[bytes[i] & 15];
  }
  return out;
}

class FileSource final : public ByteSource {
 public:
  FileSource(Handle file, std::uint64_t size, bool sparse)
      : file_(std::move(file)), size_(size), sparse_(sparse), identity_(identity_of(file_.get())) {}
  ~FileSource() override {
    if (mapped_ != nullptr) unmap_file(mapped_);
  }
  std::uint64_t size() const override { return size_; }
  std::string identity() const override { return identity_; }

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> out) const override {
    std::size_t total = 0;
    while (total < out.size()) {
      OVERLAPPED place{};
      place.Offset = static_cast<DWORD>((offset + total) & 0xFFFFFFFF);
      place.OffsetHigh = static_cast<DWORD>((offset + total) >> 32);
      const auto wanted = static_cast<DWORD>(std::min<std::size_t>(out.size() - total, 1U << 30));
      DWORD got = 0;
      if (::ReadFile(file_.get(), out.data() + total, wanted, &got, &place) == 0) {
        const auto fault = ::GetLastError();
        // An offset that no file can have is past the end of this one.
        if (fault == ERROR_HANDLE_EOF || fault == ERROR_INVALID_PARAMETER) break;
        return windows_error(fault, "read");
      }
      if (got == 0) break;
      total += got;
    }
    return total;
  }

  Extent next_data(std::uint64_t offset) const override {
    if (offset >= size_) return {size_, size_};
    if (!sparse_) return {offset, size_};
    FILE_ALLOCATED_RANGE_BUFFER ask{}, answer{};
    ask.FileOffset.QuadPart = static_cast<LONGLONG>(offset);
    ask.Length.QuadPart = static_cast<LONGLONG>(size_ - offset);
    DWORD got = 0;
    const auto asked = ::DeviceIoControl(file_.get(), FSCTL_QUERY_ALLOCATED_RANGES, &ask, sizeof ask, &answer,
                                         sizeof answer, &got, nullptr);
    if (asked == 0 && ::GetLastError() != ERROR_MORE_DATA) return {offset, size_};
    if (got < sizeof answer) return {size_, size_};
    const auto begin = std::clamp(static_cast<std::uint64_t>(answer.FileOffset.QuadPart), offset, size_);
    return {begin, begin + std::min(static_cast<std::uint64_t>(answer.Length.QuadPart), size_ - begin)};
  }

  std::optional<ByteView> view() const override {
    if (size_ == 0) return ByteView();
    const std::scoped_lock lock(mutex_);
    if (mapped_ == nullptr) mapped_ = map_file(file_.get(), size_);
    if (mapped_ == nullptr) return std::nullopt;
    return ByteView(std::span(static_cast<const std::byte*>(mapped_), size_));
  }

 private:
  Handle file_;
  std::uint64_t size_;
  bool sparse_;
  std::string identity_;
  mutable std::mutex mutex_;
  mutable void* mapped_ = nullptr;
};

}  // namespace

std::string identity_of(HANDLE file) {
  FILE_ID_INFO wide_id{};
  if (::GetFileInformationByHandleEx(file, FileIdInfo, &wide_id, sizeof wide_id) != 0) {
    return hex(reinterpret_cast<const unsigned char*>(&wide_id.VolumeSerialNumber), sizeof wide_id.VolumeSerialNumber) +
           ":" + hex(wide_id.FileId.Identifier, sizeof wide_id.FileId.Identifier);
  }
  BY_HANDLE_FILE_INFORMATION info{};
  if (::GetFileInformationByHandle(file, &info) == 0) return {};
  const auto index = (std::uint64_t{info.nFileIndexHigh} << 32) | info.nFileIndexLow;
  return index == 0 ? std::string() : std::to_string(info.dwVolumeSerialNumber) + ":" + std::to_string(index);
}

Result<Handle> open_regular(const std::wstring& path) {
  // What it is comes first: opening some things for reading is an act.
  GPUWAY_TRY_ASSIGN(const auto asked, open_to_ask(path, true));
  FILE_BASIC_INFO info{};
  if (::GetFileType(asked.get()) != FILE_TYPE_DISK) return make_error(ErrorCode::unsupported, "not a regular file");
  if (::GetFileInformationByHandleEx(asked.get(), FileBasicInfo, &info, sizeof info) == 0)
    return windows_error(::GetLastError(), "open");
  if ((info.FileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return make_error(ErrorCode::unsupported, "a folder");
  if ((info.FileAttributes & (kRecallOnOpen | kRecallOnData)) != 0) {
    return make_error(ErrorCode::not_looked, "its content is not on this machine");
  }
  Handle file(::ReOpenFile(asked.get(), GENERIC_READ, kShareAll, 0));
  if (!file) file = Handle(::CreateFileW(path.c_str(), GENERIC_READ, kShareAll, nullptr, OPEN_EXISTING, 0, nullptr));
  if (!file) return windows_error(::GetLastError(), "open");
  return Result<Handle>(std::move(file));
}

Result<std::unique_ptr<ByteSource>> source_of(Handle file) {
  LARGE_INTEGER size{};
  FILE_BASIC_INFO info{};
  if (::GetFileSizeEx(file.get(), &size) == 0 ||
      ::GetFileInformationByHandleEx(file.get(), FileBasicInfo, &info, sizeof info) == 0) {
    return windows_error(::GetLastError(), "stat");
  }
  const bool sparse = (info.FileAttributes & FILE_ATTRIBUTE_SPARSE_FILE) != 0;
  std::unique_ptr<ByteSource> source =
      std::make_unique<FileSource>(std::move(file), static_cast<std::uint64_t>(size.QuadPart), sparse);
  return source;
}

}  // namespace gpuway
