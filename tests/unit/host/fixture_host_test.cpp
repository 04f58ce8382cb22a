#include "sense/host/fixture_host.h"

#include <gtest/gtest.h>

#include "sense/host/fixture_bytes.h"

namespace gpuway {
namespace {

FixtureMachine machine_of(std::string_view json) {
  FixtureMachine machine;
  const auto added = machine.add_layer(json, {{"site", "/opt/site"}});
  EXPECT_TRUE(added) << (added ? "" : added.error().text());
  return machine;
}

std::string fault_of(std::string_view json) {
  FixtureMachine machine;
  const auto added = machine.add_layer(json, {});
  return added ? "" : added.error().text();
}

TEST(FixtureHost, what_the_tree_does_not_hold_is_not_found) {
  const FixtureHost host(machine_of(R"({"files": {"/etc/hostname": "a"}})"));
  EXPECT_EQ(host.read_file("/etc/other", 100).error().code, ErrorCode::not_found);
  EXPECT_EQ(host.read_file("/etc/hostname/below", 100).error().code, ErrorCode::not_found);
  EXPECT_EQ(host.list_folder("/var", 100).error().code, ErrorCode::not_found);
  EXPECT_EQ(*host.read_file("/etc/hostname", 100), "a");
}

TEST(FixtureHost, links_are_followed_as_the_kernel_does) {
  const FixtureHost host(machine_of(
      R"({"files": {"/usr/lib/x/a.so.1.2": "bytes"},
          "links": {"/lib": "usr/lib", "/usr/lib/x/a.so.1": "a.so.1.2", "/loop": "loop", "/gone": "/nowhere", "/up": "/usr/lib/x/../x"}})"));
  EXPECT_EQ(*host.real_path("/lib/x/a.so.1"), "/usr/lib/x/a.so.1.2");
  EXPECT_EQ(*host.read_file("/up/a.so.1", 100), "bytes");
  EXPECT_EQ(*host.read_link("/lib/x/a.so.1"), "a.so.1.2");
  EXPECT_EQ(host.stat("/lib", false)->kind, FileKind::link);
  EXPECT_EQ(host.stat("/lib", true)->kind, FileKind::folder);
  EXPECT_EQ(host.stat("/loop", true).error().code, ErrorCode::not_found);
  EXPECT_EQ(host.read_file("/gone", 100).error().code, ErrorCode::not_found);
}

TEST(FixtureHost, a_folder_lists_its_own_entries_sorted_and_says_when_some_were_dropped) {
  const FixtureHost host(machine_of(R"({"files": {"/d/b": "", "/d/a/deep": "", "/d/a-b": "", "/d/c": ""}})"));
  const auto all = host.list_folder("/d", 10);
  ASSERT_TRUE(all);
  std::string names;
  for (const auto& entry : all->entries) names += entry.name + " ";
  EXPECT_EQ(names, "a a-b b c ");
  EXPECT_TRUE(all->complete);
  const auto some = host.list_folder("/d", 3);
  EXPECT_EQ(some->entries.size(), 3U);
  EXPECT_FALSE(some->complete);
}

TEST(FixtureHost, a_denied_folder_hides_what_is_in_it_and_a_denied_node_cannot_be_opened) {
  const FixtureHost host(machine_of(
      R"({"files": {"/s/a": ""}, "nodes": {"/dev/n": {"mode": "0660"}, "/dev/refused": {"opens": false}}, "denied": ["/s", "/dev/n"]})"));
  EXPECT_EQ(host.read_file("/s/a", 10).error().code, ErrorCode::access_denied);
  EXPECT_EQ(host.list_folder("/s", 10).error().code, ErrorCode::access_denied);
  EXPECT_FALSE(*host.can_open("/dev/n"));
  EXPECT_FALSE(*host.can_open("/dev/refused"));
  EXPECT_EQ(host.stat("/dev/n", true)->mode, 0660U);
}

TEST(FixtureHost, a_question_without_a_recorded_answer_is_noted) {
  const FixtureHost host(machine_of(
      R"({"programs": {"/usr/bin/nvidia-smi": {"fault": "timed-out"}},
          "links": {"/lib/libcuda.so.1": "libcuda.so.9"}, "files": {"/lib/libcuda.so.9": ""},
          "drivers": {"/lib/libcuda.so.1": {"outcome": "finished", "loaded": true, "init_code": 100}}})"));
  EXPECT_EQ(host.run_program({{"/usr/bin/nvidia-smi"}}).error().code, ErrorCode::timed_out);
  EXPECT_EQ(host.ask_driver({"/lib/libcuda.so.9", ""}).init_code, 100);
  EXPECT_TRUE(host.unexpected().empty());
  EXPECT_FALSE(host.run_program({{"/bin/lspci", "-n"}}));
  EXPECT_EQ(host.ask_driver({"/other/libcuda.so.1", ""}).outcome, DriverReport::Outcome::not_asked);
  EXPECT_EQ(host.unexpected(), (std::vector<std::string>{"program /bin/lspci -n", "driver /other/libcuda.so.1"}));
}

TEST(FixtureMachine, a_later_layer_takes_away_and_replaces) {
  auto machine = machine_of(R"({"files": {"{site}/a/x": "1", "/b": "1"}, "environment": {"A": "1", "B": "1"}})");
  ASSERT_TRUE(machine.add_layer(R"({"remove": ["/opt/site/a"], "files": {"/b": ["2", "3"]}, "environment": {"A": null}})", {}));
  const FixtureHost host(std::move(machine));
  EXPECT_FALSE(host.stat("/opt/site/a/x", true));
  EXPECT_EQ(*host.read_file("/b", 10), "2\n3\n");
  EXPECT_EQ(host.environment(), (std::map<std::string, std::string>{{"B", "1"}}));
}

TEST(FixtureMachine, a_mistake_in_a_layer_is_named) {
  EXPECT_EQ(fault_of(R"({"fields": {}})"), "malformed: layer: unknown field fields");
  EXPECT_EQ(fault_of(R"({"remove": ["/x"]})"), "malformed: remove: /x: no such entry");
  EXPECT_EQ(fault_of(R"({"elf": {"/x": {"sonname": "a"}}})"), "malformed: /x: unknown field sonname");
  EXPECT_EQ(fault_of(R"({"files": {"/x": {"fault": "broken"}}})"), "malformed: /x: unknown fault broken");
}

}  // namespace
}  // namespace gpuway
