#include "think/routes/resolve.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "think/routes/paper_machine.h"

namespace gpuway {
namespace {

std::vector<Route> routes_of(std::string_view machine, RouteWishes wishes = {}) {
  const auto read = machine_on_paper(machine);
  EXPECT_TRUE(read.has_value());
  return resolve_routes(*read, wishes);
}

const Route& of(const std::vector<Route>& routes, std::string_view id) {
  const auto found = std::find_if(routes.begin(), routes.end(), [&](const auto& route) { return route.id == id; });
  EXPECT_NE(found, routes.end()) << id;
  return *found;
}

bool has(const std::vector<RouteReason>& rows, std::string_view id) {
  return std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.id == id; });
}

constexpr const char* kLaptop = "RTX 3060 laptop, driver 566.36, windows 11, python 3.11";

TEST(Routes, a_student_on_windows_gets_wsl_first_and_the_cpu_last) {
  const auto routes = routes_of(kLaptop);
  EXPECT_EQ(routes.front().id, "wsl-cuda");
  EXPECT_EQ(routes.front().install.front(), "tensorflow[and-cuda]==2.20.0");   // 2.21.0 finds no GPU as pip installs it
  EXPECT_EQ(routes.back().id, "native-cpu");
  EXPECT_EQ(of(routes, "native-cuda").version, "2.10.1");
  EXPECT_EQ(of(routes, "native-cuda").cuda, "11.2");
}

TEST(Routes, a_wish_changes_what_it_must) {
  RouteWishes wishes;
  wishes.versions = ">=2.16";
  const auto routes = routes_of(kLaptop, wishes);
  EXPECT_TRUE(has(of(routes, "native-cuda").reasons, "version-wish"));
  EXPECT_TRUE(has(of(routes, "native-directml").reasons, "version-wish"));
  EXPECT_EQ(of(routes, "wsl-cuda").verdict, RouteVerdict::works_if);
  wishes.no_wsl = true;
  const auto without = routes_of(kLaptop, wishes);
  EXPECT_TRUE(has(of(without, "wsl-cuda").reasons, "wsl-not-wanted"));
  EXPECT_EQ(without.front().id, "native-keras-torch");
}

TEST(Routes, a_kept_python_decides_the_release) {
  RouteWishes wishes;
  wishes.python = "3.9";
  const auto routes = routes_of("RTX 3060, driver 566.36, ubuntu 22.04", wishes);
  EXPECT_EQ(of(routes, "native-cuda").python, "3.9");
  wishes.python = "3.14";
  EXPECT_TRUE(has(of(routes_of("RTX 3060, driver 566.36, ubuntu 22.04", wishes), "native-cuda").reasons, "python-wish"));
}

TEST(Routes, an_old_gpu_gets_the_last_release_with_code_for_it) {
  RouteWishes wishes;
  wishes.framework = "pytorch";
  const auto& route = of(routes_of("GTX 1080, driver 470.10, ubuntu 22.04, python 3.10", wishes), "native-cuda");
  EXPECT_EQ(route.verdict, RouteVerdict::works);
  EXPECT_NE(route.index.find("cu118"), std::string::npos);   // CUDA 12 needs a newer driver
}

TEST(Routes, a_gpu_that_no_build_has_code_for_is_refused_with_the_reason) {
  RouteWishes wishes;
  wishes.framework = "pytorch";   // official wheels begin at 3.7
  const auto routes = routes_of("GeForce GTX 780, driver 470.10, ubuntu 22.04", wishes);
  EXPECT_TRUE(has(of(routes, "native-cuda").reasons, "no-gpu-code"));
  EXPECT_EQ(routes.front().gpu, "none");
}

TEST(Routes, a_machine_without_a_gpu_is_told_so_everywhere) {
  for (const auto& route : routes_of("no gpu, windows 11")) {
    if (route.gpu != "none") {
      EXPECT_EQ(route.verdict, RouteVerdict::refused) << route.id;
    }
  }
  EXPECT_EQ(routes_of("no gpu, windows 11").front().id, "native-cpu");
}

TEST(Routes, nobody_with_rights_means_no_route_that_needs_them) {
  RouteWishes wishes;
  wishes.no_admin = true;
  for (const auto& route : routes_of("RTX 3060, driver 452.39, windows 11, python 3.10", wishes)) {
    if (route.verdict != RouteVerdict::refused) {
      EXPECT_FALSE(route.admin) << route.id;
    }
  }
}

TEST(Routes, what_is_there_and_works_comes_first) {
  auto machine = *machine_on_paper(kLaptop);
  machine.installed.push_back({"pytorch", "2.6.0", "3.11", "C:/x", true, "", "", {}});
  RouteWishes wishes;
  wishes.framework = "pytorch";
  EXPECT_EQ(resolve_routes(machine, wishes).front().id, "as-it-is");
}

}  // namespace
}  // namespace gpuway
