#include <gtest/gtest.h>

#include "sense/host/fixture_bytes.h"
#include "think/formats/pe.h"

namespace gpuway {
namespace {

PeStub library() {
  PeStub stub;
  stub.imports = {"KERNEL32.dll", "cudart64_110.dll"};
  stub.delayed_imports = {"DirectML.dll"};
  stub.exports = {"zeta", "alpha", "old=NEW.fresh", "by_number=OTHER.DLL.#7"};
  stub.file_version = "6.14.11.1120";
  stub.product_name = "NVIDIA CUDA";
  return stub;
}

BinaryView view_of(const std::string& bytes) { return classify_pe(MemorySource(ByteView(bytes))); }

TEST(Pe, says_what_an_image_imports_exports_and_is) {
  for (const std::uint16_t machine : {std::uint16_t{0x8664}, std::uint16_t{0x14c}, std::uint16_t{0xaa64}}) {
    auto stub = library();
    stub.machine = machine;
    const auto view = view_of(pe_stub(stub));
    ASSERT_EQ(view.outcome, BinaryView::Outcome::pe) << view.detail;
    EXPECT_EQ(view.pe->machine, machine);
    EXPECT_EQ(view.pe->is_64, machine != 0x14c);
    EXPECT_EQ(view.pe->imports, stub.imports);
    EXPECT_EQ(view.pe->delayed_imports, stub.delayed_imports);
    EXPECT_EQ(view.pe->export_count, 5U);
    EXPECT_EQ(view.pe->file_version, "6.14.11.1120");
    EXPECT_EQ(view.pe->product_name, "NVIDIA CUDA");
    EXPECT_LE(view.pe->load_end, view.file_size);
  }
}

ImportCheck check(const PeStub& importer, const PeStub& exporter) {
  ImportCheck question;
  question.importer = "a.dll";
  question.library = importer.imports.front();
  question.exporter = "b.dll";
  const auto a = pe_stub(importer), b = pe_stub(exporter);
  return run_import_check(question, [&](const std::string& path) -> Result<ByteView> { return ByteView(path == "a.dll" ? a : b); });
}

TEST(Pe, names_the_functions_that_the_exporter_lacks_and_follows_forwarders) {
  PeStub importer;
  importer.imports = {"b.dll"};
  importer.asks = {"alpha", "old", "by_number", "missing", "zeta"};
  const auto answer = check(importer, library());
  ASSERT_EQ(answer.outcome, ImportCheck::Outcome::looked) << answer.detail;
  EXPECT_EQ(answer.missing, std::vector<std::string>{"missing"});
  EXPECT_EQ(answer.forwarded_to, (std::vector<std::string>{"NEW.dll", "OTHER.DLL"}));
}

TEST(Pe, an_exporter_without_exports_lacks_everything) {
  PeStub importer;
  importer.imports = {"b.dll"};
  importer.asks = {"alpha"};
  PeStub exporter;
  const auto answer = check(importer, exporter);
  EXPECT_EQ(answer.missing, std::vector<std::string>{"alpha"});
}

TEST(Pe, an_image_cut_at_any_length_gives_an_outcome) {
  const auto bytes = pe_stub(library());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto view = view_of(bytes.substr(0, length));
    using Outcome = BinaryView::Outcome;
    if (view.outcome == Outcome::pe) {
      EXPECT_GT(view.pe->load_end, length);   // so the loader replay knows that it is cut off
    } else {
      EXPECT_TRUE(view.outcome == Outcome::too_short || view.outcome == Outcome::malformed) << length << ": " << view.detail;
    }
  }
}

TEST(Pe, what_is_no_image_is_told_apart) {
  EXPECT_EQ(view_of("").outcome, BinaryView::Outcome::too_short);
  EXPECT_EQ(view_of(std::string(200, 'x')).outcome, BinaryView::Outcome::other_format);
  EXPECT_EQ(view_of("MZ" + std::string(200, '\0')).outcome, BinaryView::Outcome::malformed);
}

}  // namespace
}  // namespace gpuway
