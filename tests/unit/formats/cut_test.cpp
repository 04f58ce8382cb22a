// Every reader, on a valid text cut at every length: what comes out is a beginning of what the whole gives, or a fault.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "think/formats/elf_symbols.h"
#include "think/formats/pep440.h"
#include "think/formats/pep508_requirement.h"
#include "think/formats/python_files.h"
#include "think/formats/python_records.h"
#include "think/formats/system_files.h"
#include "think/formats/wheel_tags.h"
#include "think/formats/wsl_config.h"
#include "think/formats/wsl_output.h"

namespace gpuway {
namespace {

// Calls `look` with every beginning of the text that is shorter than the text.
template <class Look>
void at_every_length(std::string_view text, Look&& look) {
  for (std::size_t length = 0; length < text.size(); ++length) {
    SCOPED_TRACE(length);
    look(text.substr(0, length));
  }
}

// All rows but the last one, which the cut may have hit, are those of the whole.
template <class Rows, class Same>
void expect_beginning(const Rows& cut, const Rows& whole, Same&& same) {
  ASSERT_LE(cut.size(), whole.size());
  for (std::size_t i = 0; i + 1 < cut.size(); ++i) EXPECT_TRUE(same(cut[i], whole[i])) << i;
}

TEST(Cut, headers_of_metadata) {
  const std::string_view text = "Metadata-Version: 2.1\nName: torch\nRequires-Dist: a\n  >=1\nVersion: 2.6.0\n\nbody\n";
  const auto whole = parse_headers(text);
  ASSERT_EQ(whole.size(), 4U);
  at_every_length(text, [&](std::string_view cut) {
    expect_beginning(parse_headers(cut), whole, [](const auto& a, const auto& b) { return a == b; });
    EXPECT_EQ(headers_end(cut).has_value(), cut.find("\n\n") != std::string_view::npos);
  });
}

TEST(Cut, a_virtual_environments_configuration) {
  const std::string_view text = "home = /usr/bin\nversion = 3.11.2\n";
  at_every_length(text, [](std::string_view cut) {
    const auto config = parse_pyvenv_cfg(cut);
    EXPECT_TRUE(std::string_view("/usr/bin").starts_with(config.home));
    EXPECT_TRUE(std::string_view("3.11.2").starts_with(config.version));
  });
}

TEST(Cut, a_path_file) {
  const std::string_view text = "# note\n./here\nimport sys; x()\n/there\n";
  const auto whole = parse_pth(text, true);
  ASSERT_EQ(whole.size(), 3U);
  at_every_length(text, [&](std::string_view cut) {
    expect_beginning(parse_pth(cut, true), whole,
                     [](const PthLine& a, const PthLine& b) { return a.text == b.text && a.code == b.code; });
  });
}

TEST(Cut, a_record) {
  const std::string_view text = "a.py,sha256=x,10\n\"b,\"\"c.py\",,\nd.py,,7\n";
  const auto whole = parse_record(text);
  ASSERT_TRUE(whole);
  ASSERT_EQ(whole->size(), 3U);
  std::size_t faults = 0;
  at_every_length(text, [&](std::string_view cut) {
    const auto entries = parse_record(cut);
    if (!entries) {
      EXPECT_EQ(entries.error().code, ErrorCode::malformed);
      ++faults;
      return;
    }
    expect_beginning(*entries, *whole, [](const RecordEntry& a, const RecordEntry& b) {
      return a.path == b.path && a.hash == b.hash && a.size == b.size;
    });
  });
  EXPECT_GT(faults, 0U);  // inside of the quotes
}

TEST(Cut, json_of_other_programs_is_refused) {
  const std::string_view text = R"({"name":"numpy","version":"1.26","url":"file:///x","argv":["/p"],"depends":["a"]})";
  ASSERT_TRUE(parse_conda_record(text));
  ASSERT_TRUE(parse_direct_url(text));
  ASSERT_TRUE(parse_kernel_interpreter(text));
  ASSERT_TRUE(parse_vscode_interpreter(text));
  at_every_length(text, [](std::string_view cut) {
    EXPECT_FALSE(parse_conda_record(cut));
    EXPECT_FALSE(parse_direct_url(cut));
    EXPECT_FALSE(parse_kernel_interpreter(cut));
    EXPECT_FALSE(parse_vscode_interpreter(cut));
  });
}

TEST(Cut, os_release_and_cpuinfo) {
  const std::string_view release = "NAME=\"Debian GNU/Linux\"\nID=debian\nVERSION_ID='12'\nX=a\\\"b\n";
  const auto fields = parse_os_release(release);
  ASSERT_EQ(fields.at("NAME"), "Debian GNU/Linux");
  at_every_length(release, [&](std::string_view cut) {
    for (const auto& [key, value] : parse_os_release(cut.substr(0, cut.rfind('\n') + 1)))
      EXPECT_EQ(fields.at(key), value);
    EXPECT_LE(parse_os_release(cut).size(), fields.size());
  });
  const std::string_view cpu = "processor: 0\nmodel name\t: Fast 9000\nflags\t: sse avx avx2\n\nprocessor: 1\n";
  ASSERT_EQ(parse_cpuinfo(cpu).flags.size(), 3U);
  at_every_length(cpu, [&](std::string_view cut) {
    EXPECT_TRUE(std::string_view("Fast 9000").starts_with(parse_cpuinfo(cut).name));
    EXPECT_LE(parse_cpuinfo(cut).flags.size(), 3U);
  });
}

TEST(Cut, the_drivers_own_words) {
  const std::string_view nvrm = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22\n";
  at_every_length(nvrm, [](std::string_view cut) {
    const auto read = parse_nvrm_version(cut);
    EXPECT_TRUE(!read || std::string_view("550.54.14").starts_with(read->version));
  });
  const std::string_view banner = "| NVIDIA-SMI 550.54.14   Driver Version: 550.54.14   CUDA Version: 12.4 |";
  at_every_length(banner, [](std::string_view cut) {
    const auto read = parse_nvidia_smi(cut);
    EXPECT_TRUE(std::string_view("550.54.14").starts_with(read.driver));
    EXPECT_TRUE(std::string_view("12.4").starts_with(read.cuda));
    EXPECT_EQ(summarize_nvidia_smi(cut, 0).empty(), read.driver.empty());
  });
  const std::string_view generator = "ldconfig (Debian GLIBC 2.36-9) stable release version 2.36";
  at_every_length(generator, [](std::string_view cut) {
    EXPECT_TRUE(std::string_view("2.36").starts_with(glibc_version_in(cut)));
  });
  const std::string_view group = "0::/system.slice/docker-0123.scope\n";
  at_every_length(group, [](std::string_view cut) {
    EXPECT_EQ(container_of_cgroup(cut).empty(), cut.find("docker-") == std::string_view::npos);
  });
}

TEST(Cut, names_of_packages) {
  const std::string_view wheel = "torch-2.6.0+cu124-1-cp311-cp311-manylinux_2_17_x86_64.whl";
  ASSERT_TRUE(parse_wheel_name(wheel).has_value());
  at_every_length(wheel, [](std::string_view cut) { EXPECT_FALSE(parse_wheel_name(cut).has_value()); });
  const std::string_view conda = "python-3.11.7-h955ad1f_0.json";
  ASSERT_TRUE(parse_conda_file_name(conda).has_value());
  at_every_length(conda, [](std::string_view cut) { EXPECT_FALSE(parse_conda_file_name(cut).has_value()); });
  const std::string_view folder = "torch-2.6.0.dist-info";
  ASSERT_TRUE(parse_distribution_folder(folder).has_value());
  at_every_length(folder, [](std::string_view cut) { EXPECT_FALSE(parse_distribution_folder(cut).has_value()); });
}

TEST(Cut, a_requirement) {
  const std::string_view text =
      "nvidia-cudnn-cu12[a,b] (>=9.1,<10) ; platform_system == \"Linux\" and (python_version > '3')";
  ASSERT_TRUE(parse_requirement(text));
  std::size_t faults = 0;
  at_every_length(text, [&](std::string_view cut) {
    const auto read = parse_requirement(cut);
    if (!read) {
      EXPECT_EQ(read.error().code, ErrorCode::malformed);
      ++faults;
    } else {
      EXPECT_TRUE(std::string_view("nvidia-cudnn-cu12").starts_with(read->name));
    }
  });
  EXPECT_GT(faults, 0U);
}

TEST(Cut, the_symbols_of_a_library) {
  std::ifstream in("/lib/x86_64-linux-gnu/libm.so.6", std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  const auto bytes = content.str();
  ASSERT_FALSE(bytes.empty());
  const auto whole = ElfSymbols::read(ByteView(bytes));
  ASSERT_TRUE(whole) << whole.error().text();
  const auto count = whole->references().size();
  ASSERT_GT(count, 0U);
  std::size_t faults = 0;
  for (std::size_t length = 0; length < bytes.size(); length += length < 65536 ? 61 : 4093) {
    const auto cut = ElfSymbols::read(ByteView(std::string_view(bytes).substr(0, length)));
    if (!cut) {
      ++faults;
      continue;
    }
    EXPECT_LE(cut->references().size(), count) << length;
    for (const auto& reference : cut->references()) static_cast<void>(cut->defines(reference));
  }
  EXPECT_GT(faults, 0U);
}

TEST(Cut, a_settings_file_of_wsl) {
  constexpr WslKey keys[] = {{"wslconfig", "wsl2.memory", "size", "", ""}, {"wslconfig", "wsl2.kernel", "path", "", ""}};
  const std::string_view text = "[wsl2]\nkernel=\"C:\\\\k\" # mine\nmemory=8GB\n";
  const auto whole = parse_wsl_config(text, "wslconfig", keys).settings;
  ASSERT_EQ(whole.size(), 2U);
  at_every_length(text, [&](std::string_view cut) {
    expect_beginning(parse_wsl_config(cut, "wslconfig", keys).settings, whole, [](const auto& a, const auto& b) { return a == b; });
  });
}

TEST(Cut, a_list_of_distributions) {
  const std::string_view text = "  NAME    STATE    VERSION\n* Debian  Running  2\n  Old     Stopped  1\n";
  const auto whole = parse_wsl_list(text);
  ASSERT_TRUE(whole && whole->size() == 2U);
  at_every_length(text, [&](std::string_view cut) {
    if (const auto rows = parse_wsl_list(cut)) expect_beginning(*rows, *whole, [](const auto& a, const auto& b) { return a == b; });
  });
}

}  // namespace
}  // namespace gpuway
