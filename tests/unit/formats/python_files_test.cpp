#include "think/formats/python_files.h"

#include <gtest/gtest.h>

#include "think/formats/python_records.h"

namespace gpuway {
namespace {

TEST(PythonNames, runs_of_separators_become_one_dash) {
  EXPECT_EQ(normalized_name("Foo__Bar.-baz"), "foo-bar-baz");
  EXPECT_EQ(normalized_name("-x-"), "-x-");
}

TEST(PythonNames, a_metadata_folder_tells_name_and_version) {
  EXPECT_EQ(parse_distribution_folder("Foo_Bar-1.2+cu118.dist-info")->name, "foo-bar");
  EXPECT_EQ(parse_distribution_folder("Foo_Bar-1.2+cu118.dist-info")->version, "1.2+cu118");
  EXPECT_EQ(parse_distribution_folder("six-1.16.0-py3.8.egg-info")->version, "1.16.0");
  EXPECT_EQ(parse_distribution_folder("python_apt.egg-info")->version, "");
  EXPECT_FALSE(parse_distribution_folder(".dist-info").has_value());
  EXPECT_FALSE(parse_distribution_folder("torch").has_value());
  EXPECT_EQ(parse_egg_folder("foo-1.2-py3.8.egg")->version, "1.2");
}

TEST(PythonMetadata, headers_stop_at_the_empty_line_and_folded_lines_are_joined) {
  const auto fields =
      parse_headers("Metadata-Version: 2.1\nName: torch\nRequires-Dist: a\n  >=1\r\n\nName: in the description\n");
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields[2].first, "requires-dist");
  EXPECT_EQ(fields[2].second, "a >=1");
}

TEST(PythonMetadata, a_line_that_is_no_header_ends_them) {
  EXPECT_EQ(parse_headers("Name: a\nno header\nVersion: 1\n").size(), 1U);
}

TEST(PythonMetadata, a_beginning_without_the_empty_line_is_not_all) {
  EXPECT_FALSE(headers_end("Name: a\nVersion: 1\n").has_value());
  EXPECT_EQ(headers_end("Name: a\n\nbody"), 9U);
  EXPECT_EQ(headers_end("Name: a\r\n\r\nbody"), 11U);
}

TEST(PyvenvCfg, a_missing_key_means_system_packages) {
  const auto config = parse_pyvenv_cfg("home = /usr/bin\nVersion_Info=3.11.2.final.0\nuv = 0.4.1\n");
  EXPECT_EQ(config.home, "/usr/bin");
  EXPECT_TRUE(config.system_site_packages);
  EXPECT_EQ(config.version, "3.11.2.final.0");
  EXPECT_EQ(config.creator, "uv");
  EXPECT_FALSE(parse_pyvenv_cfg("include-system-site-packages = FALSE").system_site_packages);
}

TEST(PthFile, lines_that_begin_with_import_are_code) {
  const auto lines = parse_pth("# note\n\n./here  \nimport sys; x()\nimportant\nimport\ty\n", false);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].text, "./here");
  EXPECT_TRUE(lines[1].code);
  EXPECT_FALSE(lines[2].code);
  EXPECT_TRUE(lines[3].code);
}

TEST(PthFile, a_byte_order_mark_is_known_since_python_3_13) {
  EXPECT_EQ(parse_pth("\xEF\xBB\xBF/x\n", true)[0].text, "/x");
  EXPECT_EQ(parse_pth("\xEF\xBB\xBF/x\n", false)[0].text, "\xEF\xBB\xBF/x");
}

// EXTENSION_SUFFIXES as printed by CPython 3.7, 3.12 and 3.13.
TEST(ExtensionModules, endings_are_those_of_the_interpreter_in_its_order) {
  const std::string triplet = "x86_64-linux-gnu";
  EXPECT_EQ(extension_suffixes(3, 7, false, triplet),
            (std::vector<std::string>{".cpython-37m-x86_64-linux-gnu.so", ".abi3.so", ".so"}));
  EXPECT_EQ(extension_suffixes(3, 12, false, triplet),
            (std::vector<std::string>{".cpython-312-x86_64-linux-gnu.so", ".abi3.so", ".so"}));
  EXPECT_EQ(extension_suffixes(3, 13, true, triplet),
            (std::vector<std::string>{".cpython-313t-x86_64-linux-gnu.so", ".so"}));
  EXPECT_EQ(extension_module("x.cpython-311-x86_64-linux-gnu.so", 3, 12, false), std::nullopt);
  EXPECT_EQ(extension_module("x.abi3.so", 3, 12, false), "x");
}

TEST(Record, quoted_paths_may_hold_commas_and_quotes) {
  const auto entries = parse_record("a.py,sha256=x,12\n\"b,\"\"c\"\".py\",,\nfoo.dist-info/RECORD,,\n");
  ASSERT_TRUE(entries.has_value());
  ASSERT_EQ(entries->size(), 3U);
  EXPECT_EQ((*entries)[0].size, 12U);
  EXPECT_EQ((*entries)[1].path, "b,\"c\".py");
  EXPECT_FALSE((*entries)[1].size.has_value());
}

TEST(Record, the_error_names_the_line) {
  EXPECT_EQ(parse_record("a,b,1\na,b,c\n").error().text(), "malformed: line 2: the size \"c\" is no number");
  EXPECT_EQ(parse_record("a\n\na,b,1,d\n").error().text(), "malformed: line 3 has more than 3 fields");
  EXPECT_EQ(parse_record("\"a\nb").error().text(), "malformed: line 1 has a quote that is never closed");
}

TEST(Record, every_beginning_of_a_record_ends_in_a_value_or_an_error_text) {
  const std::string whole = "a.py,sha256=abc,12\r\n\"b,\"\"c\"\".py\",,\nRECORD,,\n";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const auto entries = parse_record(std::string_view(whole).substr(0, length));
    if (!entries) {
      EXPECT_EQ(entries.error().code, ErrorCode::malformed) << length;
    }
  }
}

TEST(DirectUrl, an_editable_folder_and_a_commit_are_told) {
  const auto folder = parse_direct_url(R"({"url": "file:///src", "dir_info": {"editable": true}})");
  ASSERT_TRUE(folder.has_value());
  EXPECT_TRUE(folder->editable);
  const auto commit = parse_direct_url(R"({"url": "https://x/y", "vcs_info": {"vcs": "git", "commit_id": "abc"}})");
  ASSERT_TRUE(commit.has_value());
  EXPECT_EQ(commit->commit, "abc");
  EXPECT_FALSE(parse_direct_url("{}").has_value());
  EXPECT_FALSE(parse_direct_url("[1").has_value());
}

TEST(CondaMeta, the_name_may_hold_dashes) {
  const auto record = parse_conda_file_name("cuda-version-12.4-hbda6634_3.json");
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->name, "cuda-version");
  EXPECT_EQ(record->version, "12.4");
  EXPECT_EQ(record->build, "hbda6634_3");
  EXPECT_FALSE(parse_conda_file_name("history").has_value());
  EXPECT_FALSE(parse_conda_file_name("a-b.json").has_value());
}

TEST(CondaMeta, the_list_of_files_is_passed_over) {
  const auto record = parse_conda_record(
      R"({"name": "Torch", "version": "2.1", "build": "cuda118", "files": ["a", "b"], "channel": "c", "depends": ["x >=1"]})");
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->name, "torch");
  EXPECT_EQ(record->depends.size(), 1U);
  EXPECT_EQ(parse_conda_record("{}").error().text(), "malformed: no \"name\" or no \"version\"");
}

TEST(Settings, interpreters_are_read_from_kernel_and_editor_files) {
  EXPECT_EQ(*parse_kernel_interpreter(R"({"argv": ["/x/bin/python", "-m"]})"), "/x/bin/python");
  EXPECT_FALSE(parse_kernel_interpreter(R"({"argv": []})").has_value());
  EXPECT_EQ(*parse_vscode_interpreter("{ // note\n \"python.defaultInterpreterPath\": \".venv/bin/python\" }"),
            ".venv/bin/python");
}

}  // namespace
}  // namespace gpuway
