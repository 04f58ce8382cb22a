#include "host_contract/contract.h"

namespace gpuway {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(Contract, arguments_arrive_as_they_were) {
  const std::vector<std::string> arguments = {"plain",       "",     "two words",   "a\"b",     "back\\slash", "end\\",
                                              "end space\\", "\\\"", "\\\\\\\"x y", "\"\"",     "%PATH%",      "^&|<>",
                                              "é漢😀",       "*",    "tab\there",   "'single'", "C:\\a b\\"};
  auto words = arguments;
  words.insert(words.begin(), "arguments");
  const auto output = host_->run_program(part(words));
  ASSERT_TRUE(output) << output.error().text();
  std::string expected;
  for (const auto& argument : arguments) expected += "[" + argument + "]\n";
  EXPECT_EQ(output->out, expected);
}

TEST_F(Contract, an_exit_code_is_an_answer) {
  for (const int code : {0, 3, 127})
    EXPECT_EQ(host_->run_program(part({"exit", std::to_string(code)}))->exit_code, code);
}

TEST_F(Contract, stdin_is_empty) { EXPECT_EQ(host_->run_program(part({"stdin"}))->out, "<>"); }

TEST_F(Contract, variables_are_passed_on) {
  set_variable("GPUWAY_CONTRACT", "é漢 value");
  const auto host = make_live_host();
  EXPECT_EQ(host->environment().at("GPUWAY_CONTRACT"), "é漢 value");
  EXPECT_EQ(host->run_program(part({"variable", "GPUWAY_CONTRACT"}))->out, "é漢 value");
}

TEST_F(Contract, a_crash_is_no_answer_of_the_program) {
  const auto output = host_->run_program(part({"crash"}));
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "before");
  EXPECT_EQ(static_cast<unsigned>(output->exit_code), host_->is_windows() ? 0xC0000005U : 128U + 11U);
}

TEST_F(Contract, a_program_is_ended_at_its_limits) {
  const auto flood = host_->run_program(part({"flood"}, seconds(20), 10'500));
  ASSERT_TRUE(flood);
  EXPECT_TRUE(flood->cut);
  EXPECT_EQ(flood->out, std::string(10'500, 'x'));
  const auto before = host_->clock_ms();
  const auto late = host_->run_program(part({"sleep"}, milliseconds(300)));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::timed_out);
  EXPECT_LT(host_->clock_ms() - before, 10'000);
}

TEST_F(Contract, a_program_is_over_when_it_ends_whatever_it_leaves_behind) {
  const auto before = host_->clock_ms();
  const auto output = host_->run_program(part({"leave"}));
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "said");
  EXPECT_EQ(output->exit_code, 7);
  EXPECT_LT(host_->clock_ms() - before, 15'000);
}

TEST_F(Contract, a_program_that_is_not_there_is_not_found) {
  for (const auto& name : {folder_ + "/none", std::string("gpuway-no-such-program")}) {
    const auto output = host_->run_program({{name}});
    ASSERT_FALSE(output);
    EXPECT_NE(output.error().code, ErrorCode::internal) << output.error().text();
  }
}

// The double lies beside this program.
class Driver : public Contract {
 protected:
  DriverReport ask(const std::string& behaviour, milliseconds limit = seconds(20)) {
    set_variable("GPUWAY_DOUBLE", behaviour);
    const auto program = this_program();
    const auto library = program.substr(0, program.rfind('/')) + "/driver_double" + kLibrarySuffix;
    return make_live_host()->ask_driver({library, library, limit});
  }
};

TEST_F(Driver, a_driver_is_asked) {
  const auto report = ask("");
  EXPECT_EQ(report.outcome, DriverReport::Outcome::finished) << report.detail;
  EXPECT_TRUE(report.loaded) << report.load_error;
  EXPECT_EQ(report.init_code, 0);
  EXPECT_EQ(report.driver_version, 12040);
  ASSERT_EQ(report.devices.size(), 2U);
  EXPECT_EQ(report.devices[1].name, "Double 1");
  EXPECT_EQ(report.devices[1].compute_major, 8);
  EXPECT_EQ(report.devices[1].memory_bytes, std::uint64_t{12} << 30);
  ASSERT_TRUE(report.nvml.has_value());
  EXPECT_EQ(report.nvml->driver_version, "551.61");
  EXPECT_EQ(report.nvml->missing_symbols, std::vector<std::string>{"nvmlDeviceGetHandleByPciBusId_v2"});
}

TEST_F(Driver, a_code_is_passed_on) {
  const auto report = ask("no-device");
  EXPECT_EQ(report.init_code, 100);
  EXPECT_FALSE(report.device_count.has_value());
}

TEST_F(Driver, a_crash_a_hang_and_an_end_are_outcomes) {
  const auto crashed = ask("crash");
  EXPECT_EQ(crashed.outcome, DriverReport::Outcome::crashed);
  EXPECT_EQ(crashed.last_step, "cuInit");
  EXPECT_EQ(crashed.detail, host_->is_windows() ? "exception 0xC0000005" : "signal 11");
  EXPECT_EQ(ask("hang", milliseconds(800)).outcome, DriverReport::Outcome::timed_out);
  const auto ended = ask("exit");
  EXPECT_EQ(ended.outcome, DriverReport::Outcome::crashed);
  EXPECT_EQ(ended.detail, "exit code 7");
}

TEST_F(Driver, hidden_devices_are_counted_too) {
  set_variable("CUDA_VISIBLE_DEVICES", "-1");
  const auto report = ask("");
  EXPECT_EQ(report.device_count, 0);
  EXPECT_EQ(report.device_count_unmasked, 2);
  set_variable("CUDA_VISIBLE_DEVICES", "0");
}

TEST_F(Driver, what_cannot_be_loaded_says_so) {
  const auto none = host_->ask_driver({folder_ + "/none" + kLibrarySuffix, ""});
  EXPECT_EQ(none.outcome, DriverReport::Outcome::finished);
  EXPECT_FALSE(none.loaded);
  EXPECT_FALSE(none.load_error.empty());
  const auto text = host_->ask_driver({make(std::string("text") + kLibrarySuffix, "no library"), ""});
  EXPECT_FALSE(text.loaded);
}

}  // namespace
}  // namespace gpuway
