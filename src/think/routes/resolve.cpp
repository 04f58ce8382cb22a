#include "think/routes/resolve.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>

#include "base/text.h"
#include "think/formats/pep440.h"
#include "think/formats/pep440_specifiers.h"
#include "think/knowledge/builds.h"
#include "think/knowledge/gpus.h"

namespace gpuway {
namespace {

constexpr const char* kUsualPython = "3.12";       // Ubuntu 24.04, which `wsl.exe --install` brings
constexpr int kFirstBuildWithWslGpu = 19044;       // Windows 10 21H2 (learn.microsoft.com/windows/ai/directml/gpu-cuda-in-wsl)
constexpr int kFirstBuildWithDirectMl = 16299;     // Windows 10 1709 (learn.microsoft.com/windows/ai/directml)

enum class Place : unsigned char { native, wsl, container };

// One thing that may be tried: a stack of a framework at a place.
struct Idea {
  std::string id;
  Place place;
  std::string gpu, framework;
  bool keeps_code = true;
};

std::vector<std::string> words_of(std::string_view list, char between) {
  std::vector<std::string> out;
  for (const auto part : split(list, between)) {
    if (!part.empty()) out.emplace_back(part);
  }
  return out;
}

std::pair<int, int> python_order(const std::string& minor) {
  const auto dot = minor.find('.');
  if (dot == std::string::npos) return {};
  std::pair<int, int> out;
  std::from_chars(minor.data(), minor.data() + dot, out.first);
  std::from_chars(minor.data() + dot + 1, minor.data() + minor.size(), out.second);
  return out;
}

const RouteMachine::Gpu* gpu_of(const RouteMachine& machine, std::string_view vendor) {
  const auto found = std::find_if(machine.gpus.begin(), machine.gpus.end(), [&](const auto& gpu) { return gpu.vendor == vendor; });
  return found == machine.gpus.end() ? nullptr : &*found;
}

class Resolver {
 public:
  Resolver(const RouteMachine& machine, const RouteWishes& wishes) : machine_(machine), wishes_(wishes) {
    if (const auto specifiers = parse_specifiers(wishes.versions); specifiers) specifiers_ = *specifiers;
  }

  std::vector<Route> all() {
    std::vector<Route> routes = repairs();
    for (const auto& idea : ideas()) routes.push_back(best_of(idea));
    rank(routes);
    return routes;
  }

 private:
  bool windows() const { return machine_.system == "windows"; }

  // ---- what may be tried

  std::vector<Idea> ideas() const {
    const auto& framework = wishes_.framework;
    std::vector<Idea> out;
    const auto add = [&](std::string id, Place place, std::string gpu, std::string what = {}, bool keeps = true) {
      out.push_back({std::move(id), place, std::move(gpu), what.empty() ? framework : std::move(what), keeps});
    };
    add("native-cuda", Place::native, "cuda");
    if (windows()) {
      add("native-directml", Place::native, "directml");
      add("wsl-cuda", Place::wsl, "cuda");
    }
    add("container-cuda", Place::container, "cuda");
    if (framework == "pytorch") {
      add("native-rocm", Place::native, "rocm");
      add("native-xpu", Place::native, "xpu");
    }
    // Keras 3 code runs on each backend; code that uses TensorFlow itself does not.
    if (framework == "tensorflow") {
      add("native-keras-torch", Place::native, "cuda", "pytorch", false);
      if (!windows()) add("native-keras-jax", Place::native, "cuda", "jax", false);
    }
    add("native-cpu", Place::native, "none");
    return out;
  }

  std::vector<Route> repairs() const {
    std::vector<Route> out;
    for (const auto& row : machine_.installed) {
      if (row.framework != wishes_.framework || (row.works ? false : row.commands.empty())) continue;
      Route route;
      route.id = row.works ? "as-it-is" : "repair";
      if (!out.empty()) route.id += "-" + std::to_string(out.size() + 1);
      route.place = "here";
      route.gpu = "cuda";
      route.framework = row.framework;
      route.package = row.framework;
      route.version = row.version;
      route.python = row.python;
      if (!wanted(row.version)) route.reasons.push_back({"version-wish", {{"version", row.version}, {"wish", wishes_.versions}}});
      // A finding whose cure is another place or another build is no repair of this one.
      const bool elsewhere = row.step.find("wsl") != std::string::npos || row.cause == "tf-windows-native-gpu-ended" || row.cause == "jax-no-windows-gpu" || row.cause == "no-nvidia-gpu";
      if (!row.works && elsewhere) continue;
      if (!row.works) route.conditions.push_back({"mend", {{"cause", row.cause}, {"environment", row.environment}}});
      settle(route);
      out.push_back(std::move(route));
    }
    return out;
  }

  // ---- one idea

  bool wanted(std::string_view version) const { return wishes_.versions.empty() || admits(specifiers_, version); }

  Route best_of(const Idea& idea) {
    Route best;
    bool first = true;
    for (const auto& build : framework_builds()) {
      if (build.framework != idea.framework || build.gpu != idea.gpu || build.system != system_at(idea.place)) continue;
      auto route = judge(idea, build);
      if (first || is_better(route, best)) best = std::move(route);
      first = false;
    }
    if (!first) return best;
    auto none = start(idea);
    none.reasons.push_back({"no-build", {{"framework", idea.framework}, {"gpu", idea.gpu}, {"system", std::string(system_at(idea.place))}}});
    add_place(idea, none);
    settle(none);
    return none;
  }

  std::string_view system_at(Place place) const { return place == Place::native ? std::string_view(machine_.system) : "linux"; }

  Route start(const Idea& idea) const {
    Route route;
    route.id = idea.id;
    route.place = idea.place == Place::native ? "native" : idea.place == Place::wsl ? "wsl" : "container";
    route.gpu = idea.gpu;
    route.framework = idea.framework;
    route.keeps_code = idea.keeps_code;
    return route;
  }

  Route judge(const Idea& idea, const FrameworkBuild& build) {
    auto route = start(idea);
    route.package = build.package;
    route.version = build.version;
    route.install = words_of(build.install, ';');
    route.extra = words_of(build.extra, ';');
    route.index = build.index;
    if (build.gpu == "cuda" && brings_no_libraries(build)) {
      route.cuda = build.cuda.text();
      route.cudnn = build.cudnn;
    }
    if (idea.framework == wishes_.framework) {
      if (!wanted(build.version)) route.reasons.push_back({"version-wish", {{"version", route.version}, {"wish", wishes_.versions}}});
    } else if (!wishes_.versions.empty()) {
      route.notes.push_back({"other-framework", {{"framework", idea.framework}}});
    }
    add_python(build, route);
    if (!idea.keeps_code) add_keras(build, route);
    if (wishes_.keep_numpy2 && std::any_of(route.extra.begin(), route.extra.end(), [](const auto& pin) { return pin.starts_with("numpy<"); })) {
      route.reasons.push_back({"numpy-wish", {{"version", route.version}, {"package", route.package}}});
    }
    if (!build.fault.empty()) add_fault(idea, build, route);
    add_gpu(build, route);
    add_place(idea, route);
    if (!route.cuda.empty()) route.conditions.push_back({windows() && idea.place == Place::native ? "cuda-from-conda" : "cuda-of-system", {{"cuda", route.cuda}, {"cudnn", route.cudnn}}});
    if (!build.frozen.empty()) route.notes.push_back({"frozen", {{"why", std::string(build.frozen)}}});
    if (idea.gpu == "none") route.notes.push_back({"cpu-only", {}});
    settle(route);
    return route;
  }

  // Up to 2.13, and on Windows, TensorFlow's wheels neither bring CUDA nor find the libraries of NVIDIA's wheels.
  static bool brings_no_libraries(const FrameworkBuild& build) {
    return build.framework == "tensorflow" && (build.system == "windows" || build.install.find("and-cuda") == std::string_view::npos);
  }

  // An image brings the libraries that the wheels lack.
  void add_fault(const Idea& idea, const FrameworkBuild& build, Route& route) const {
    if (idea.place == Place::container && brings_no_libraries(build)) return;
    if (brings_no_libraries(build)) return;   // a condition of its own
    route.reasons.push_back({"known-fault", {{"package", route.package}, {"version", route.version}, {"fault", std::string(build.fault)}}});
  }

  void add_python(const FrameworkBuild& build, Route& route) const {
    const auto pythons = words_of(build.pythons, ' ');
    const auto has = [&](const std::string& minor) { return std::find(pythons.begin(), pythons.end(), minor) != pythons.end(); };
    if (!wishes_.python.empty()) {
      route.python = wishes_.python;
      if (!has(wishes_.python)) {
        route.reasons.push_back({"python-wish", {{"python", wishes_.python}, {"package", route.package}, {"version", route.version}, {"pythons", pythons}}});
      }
      return;
    }
    if (route.place == "native") {
      for (const auto& minor : machine_.pythons) {
        if (has(minor) && (route.python.empty() || python_order(minor) > python_order(route.python))) route.python = minor;
      }
      if (!route.python.empty()) return;
    }
    route.python = has(kUsualPython) ? kUsualPython : *std::max_element(pythons.begin(), pythons.end(), [](const auto& a, const auto& b) { return python_order(a) < python_order(b); });
    if (route.place == "wsl" && route.python == kUsualPython) return;
    // A container brings its Python, and conda too.
    const bool brought = route.place == "container" || !route.cuda.empty();
    if (!brought && (route.place == "wsl" || !machine_.pythons.empty())) route.conditions.push_back({"python-needed", {{"python", route.python}}});
  }

  // The newest Keras 3 for the route's Python stands before the backend that computes.
  void add_keras(const FrameworkBuild& backend, Route& route) const {
    route.conditions.push_back({"keras-code", {}});
    for (const auto& keras : framework_builds()) {
      if (keras.framework != "keras" || keras.system != backend.system) continue;
      const auto pythons = words_of(keras.pythons, ' ');
      if (std::find(pythons.begin(), pythons.end(), route.python) == pythons.end()) continue;
      route.install.insert(route.install.begin(), std::string(keras.install));
      return;
    }
    route.reasons.push_back({"no-build", {{"framework", std::string("keras")}, {"gpu", route.gpu}, {"system", std::string(backend.system)}}});
  }

  void add_gpu(const FrameworkBuild& build, Route& route) const {
    if (build.gpu == "none") return;
    if (build.gpu == "directml") {
      if (machine_.windows_build != 0 && machine_.windows_build < kFirstBuildWithDirectMl) route.reasons.push_back({"windows-too-old", {{"build", static_cast<std::int64_t>(kFirstBuildWithDirectMl)}, {"what", std::string("DirectML")}}});
      if (machine_.gpus_known && machine_.gpus.empty()) route.reasons.push_back({"no-gpu", {}});
      if (!machine_.gpus_known) route.conditions.push_back({"gpu-unknown", {}});
      return;
    }
    const std::string vendor = build.gpu == "cuda" ? "nvidia" : build.gpu == "rocm" ? "amd" : "intel";
    const auto* gpu = gpu_of(machine_, vendor);
    if (gpu == nullptr) {
      if (machine_.gpus_known) route.reasons.push_back({"no-gpu-of-vendor", {{"vendor", std::string(vendor == "nvidia" ? "NVIDIA" : vendor == "amd" ? "AMD" : "Intel")}}});
      if (!machine_.gpus_known) route.conditions.push_back({"gpu-unknown", {}});
      return;
    }
    if (vendor == "amd") route.conditions.push_back({"rocm-support", {{"gpu", gpu->name}}});
    if (vendor == "intel") route.conditions.push_back({"xpu-support", {{"gpu", gpu->name}}});
    if (vendor == "nvidia") add_nvidia(build, *gpu, route);
  }

  void add_nvidia(const FrameworkBuild& build, const RouteMachine::Gpu& first, Route& route) const {
    // One of several GPUs that the build has code for is enough.
    const RouteMachine::Gpu* gpu = &first;
    for (const auto& other : machine_.gpus) {
      if (other.vendor == "nvidia" && other.major > 0 && runs_on(build, {other.major, other.minor})) {
        gpu = &other;
        break;
      }
    }
    if (gpu->major == 0) {
      route.conditions.push_back({"compute-capability-unknown", {{"gpu", gpu->name}, {"code", words_of(build.code, ' ')}}});
    } else if (!runs_on(build, {gpu->major, gpu->minor})) {
      route.reasons.push_back({"no-gpu-code", {{"gpu", gpu->name}, {"cc", CudaVersion{gpu->major, gpu->minor}.text()}, {"code", words_of(build.code, ' ')}, {"package", route.package}, {"version", route.version}}});
    }
    else if (!has_machine_code_for(build, {gpu->major, gpu->minor})) {
      const auto report = report_of_failing_ptx(build.framework, {gpu->major, gpu->minor});
      const RouteReason row{report ? "ptx-reported-failing" : "ptx-only", {{"gpu", gpu->name}, {"package", route.package}, {"version", route.version}}};
      (report ? route.conditions : route.notes).push_back(row);
    }
    add_driver(build, *gpu, route);
  }

  void add_driver(const FrameworkBuild& build, const RouteMachine::Gpu& gpu, Route& route) const {
    const auto level = cuda_of_driver(machine_.driver);
    if (level && is_served_by(build, *level)) return;
    const auto needed = "CUDA " + build.cuda.text();
    const auto* architecture = find_architecture(gpu.architecture);
    if (architecture != nullptr && architecture->last_branch > 0) {
      const auto last = cuda_of_driver(std::to_string(architecture->last_branch) + ".0");
      if (last && !is_served_by(build, *last)) {
        route.reasons.push_back({"driver-ended", {{"gpu", gpu.name}, {"branch", static_cast<std::int64_t>(architecture->last_branch)}, {"needed", needed}}});
        return;
      }
    }
    if (!level) {
      route.conditions.push_back({"driver-needed", {{"needed", needed}}});
    } else {
      route.conditions.push_back({"driver-update", {{"driver", machine_.driver}, {"needed", needed}}});
    }
    if (wishes_.no_admin && level) route.reasons.push_back({"no-admin", {{"what", std::string("driver")}}});
    route.admin = true;
  }

  void add_place(const Idea& idea, Route& route) const {
    if (idea.place == Place::container) return add_container(route);
    if (idea.place == Place::native) return;
    if (wishes_.no_wsl || wishes_.windows_only) route.reasons.push_back({"wsl-not-wanted", {}});
    if (machine_.wsl == "forbidden") route.reasons.push_back({"wsl-forbidden", {}});
    if (machine_.windows_build != 0 && machine_.windows_build < kFirstBuildWithWslGpu) {
      route.reasons.push_back({"windows-too-old", {{"build", static_cast<std::int64_t>(kFirstBuildWithWslGpu)}, {"what", std::string("WSL 2")}}});
    }
    if (machine_.wsl == "ready") return;
    add_wsl_first(route);
    if (wishes_.no_admin) route.reasons.push_back({"no-admin", {{"what", std::string("WSL 2")}}});
    if (wishes_.offline) route.reasons.push_back({"offline", {{"what", std::string("WSL 2")}}});
  }

  void add_wsl_first(Route& route) const {
    if (!machine_.virtualization) route.conditions.push_back({"virtualization", {}});
    route.conditions.push_back({"install-wsl", {}});
    route.admin = route.reboot = true;
  }

  void add_container(Route& route) const {
    if (machine_.inside_container) route.reasons.push_back({"inside-container", {}});
    if (wishes_.offline) route.reasons.push_back({"offline", {{"what", std::string("container")}}});
    if (windows()) {
      if (wishes_.no_wsl || wishes_.windows_only) route.reasons.push_back({"wsl-not-wanted", {}});
      if (machine_.wsl == "forbidden") route.reasons.push_back({"wsl-forbidden", {}});
      if (machine_.windows_build != 0 && machine_.windows_build < kFirstBuildWithWslGpu) {
        route.reasons.push_back({"windows-too-old", {{"build", static_cast<std::int64_t>(kFirstBuildWithWslGpu)}, {"what", std::string("WSL 2")}}});
      }
      if (machine_.wsl != "ready") add_wsl_first(route);
      route.conditions.push_back({"docker-desktop", {}});
    } else {
      route.conditions.push_back({"container-toolkit", {}});
    }
    route.admin = true;
    if (wishes_.no_admin) route.reasons.push_back({"no-admin", {{"what", std::string("container")}}});
    // An image of CUDA's own runtime holds what the wheels lack.
    if (!route.cuda.empty()) route.cuda.clear(), route.cudnn.clear();
  }

  // ---- order

  static void settle(Route& route) {
    route.verdict = !route.reasons.empty() ? RouteVerdict::refused : !route.conditions.empty() ? RouteVerdict::works_if : RouteVerdict::works;
  }

  static bool is_newer(const Route& a, const Route& b) {
    const auto left = parse_pep440(a.version), right = parse_pep440(b.version);
    return left && right && compare(*left, *right) > 0;
  }

  bool is_better(const Route& a, const Route& b) const {
    const auto key = [&](const Route& route) {
      return std::tuple(route.reasons.size(), route.admin, !has_python(route), route.conditions.size(), route.notes.size(), !route.index.empty());
    };
    if (key(a) != key(b)) return key(a) < key(b);
    return is_newer(a, b);
  }

  bool has_python(const Route& route) const {
    return route.place != "native" || machine_.pythons.empty() || std::find(machine_.pythons.begin(), machine_.pythons.end(), route.python) != machine_.pythons.end();
  }

  static int slowness(const Route& route) {
    constexpr std::string_view order[] = {"cuda", "rocm", "xpu", "directml", "none"};
    return static_cast<int>(std::find(std::begin(order), std::end(order), route.gpu) - std::begin(order));
  }

  // Steps can be taken; whether these are true is for somebody to find out.
  static bool is_uncertain(const Route& route) {
    constexpr std::string_view open[] = {"gpu-unknown", "compute-capability-unknown", "rocm-support", "xpu-support", "ptx-reported-failing"};
    return std::any_of(route.conditions.begin(), route.conditions.end(), [&](const auto& condition) {
      return std::find(std::begin(open), std::end(open), condition.id) != std::end(open);
    });
  }

  // Whether it would take the framework back behind the release that is there.
  bool goes_back(const Route& route) const {
    return std::any_of(machine_.installed.begin(), machine_.installed.end(), [&](const auto& row) {
      const auto there = parse_pep440(row.version), here = parse_pep440(route.version);
      return row.framework == route.framework && there && here && compare_release(*here, *there) < 0;
    });
  }

  static int distance(const Route& route) {
    constexpr std::string_view order[] = {"here", "native", "wsl", "container"};
    return static_cast<int>(std::find(std::begin(order), std::end(order), route.place) - std::begin(order));
  }

  void rank(std::vector<Route>& routes) const {
    const auto key = [&](const Route& route) {
      const bool frozen = std::any_of(route.notes.begin(), route.notes.end(), [](const auto& note) { return note.id == "frozen"; });
      // What uses no GPU is the last resort, however easy it is.
      return std::tuple(route.verdict == RouteVerdict::refused, route.gpu == "none", is_uncertain(route), !route.keeps_code, route.place != "here",
                        goes_back(route), !has_python(route), frozen, route.admin, route.reboot, distance(route), slowness(route));
    };
    std::stable_sort(routes.begin(), routes.end(), [&](const Route& a, const Route& b) { return key(a) < key(b); });
    int place = 0;
    for (auto& route : routes) route.rank = ++place;
  }

  const RouteMachine& machine_;
  const RouteWishes& wishes_;
  VersionSpecifiers specifiers_;
};

}  // namespace

std::string_view to_word(RouteVerdict verdict) {
  return verdict == RouteVerdict::works ? "works" : verdict == RouteVerdict::works_if ? "works-if" : "refused";
}

std::vector<Route> resolve_routes(const RouteMachine& machine, const RouteWishes& wishes) { return Resolver(machine, wishes).all(); }

}  // namespace gpuway
