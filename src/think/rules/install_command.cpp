#include "think/rules/install_command.h"

#include <algorithm>

#include "think/rules/gpu/gpu_presence.h"
#include "think/rules/next_steps.h"

namespace gpuway {
namespace {

std::string joined(std::string command, const std::vector<std::string>& words) {
  for (const auto& word : words) {
    command += ' ';
    command += shell_word(word);
  }
  return command;
}

// One line of commands, each only after the one before: PowerShell 5 has no &&.
std::string in_turn(const ChainBuilder& chain, const std::vector<std::string>& commands) {
  std::string line;
  for (const auto& command : commands) {
    if (command.empty()) continue;
    if (!line.empty()) line += chain.snapshot().windows ? "; " : " && ";
    line += command;
  }
  return line;
}

// The environment's Python as the first word of a command; PowerShell takes a quoted word for a text unless & stands
// before.
std::string program_word(const ChainBuilder& chain) {
  auto word = shell_word(chain.environment().executable);
  return chain.snapshot().windows && word.starts_with('\'') ? "& " + word : word;
}

// uv's environments have no pip of their own.
bool made_by_uv(const ChainBuilder& chain) {
  if (chain.environment().kind == "uv") return true;
  const auto* own = chain.package(chain.chain.package);
  return own != nullptr && own->installer == "uv" && chain.package("pip") == nullptr;
}

// Debian splits pip, and what could put it in, off from Python; its packages lie in folders that only it has.
bool made_by_debian(const PythonEnvironment& environment) {
  return std::any_of(environment.search_path.begin(), environment.search_path.end(),
                     [](const SearchFolder& folder) { return folder.path == "/usr/lib/python3/dist-packages"; });
}

// In a container one is root as a rule, and sudo is not there.
std::string apt_command(const ChainBuilder& chain, const std::string& package) {
  return (in_container(chain.snapshot()) ? "apt install " : "sudo apt install ") + package;
}

// The package of Debian that lets this Python make virtual environments; empty when that is not needed or not known.
std::string venv_package_command(const ChainBuilder& chain) {
  const auto& environment = chain.environment();
  if (environment.ensurepip.value_or(true) || !made_by_debian(environment) || !environment.version.is_known())
    return {};
  const auto& version = *environment.version.value;
  return apt_command(chain, "python" + version.substr(0, version.find('.', version.find('.') + 1)) + "-venv");
}

// The command that puts pip in; empty when pip is there, not needed, or nothing tells how.
std::string pip_first(const ChainBuilder& chain) {
  const auto& environment = chain.environment();
  if (made_by_uv(chain) || chain.package("pip") != nullptr || !environment.ensurepip.is_known()) return {};
  if (environment.kind == "conda") return "conda install -p " + shell_word(environment.path) + " pip";
  if (*environment.ensurepip.value) return program_word(chain) + " -m ensurepip";
  if (!made_by_debian(environment)) return {};
  if (environment.kind == "system") return apt_command(chain, "python3-pip");
  return in_turn(chain, {venv_package_command(chain), program_word(chain) + " -m ensurepip"});
}

// "python -m pip install" or what does the same.
std::string tool_command(const ChainBuilder& chain, const std::string& verb) {
  if (made_by_uv(chain)) return "uv pip " + verb + " --python " + shell_word(chain.environment().executable);
  return program_word(chain) + " -m pip " + verb + (verb == "uninstall" ? " -y" : "");
}

std::string_view name_in(std::string_view requirement) {
  return requirement.substr(0, requirement.find_first_of("[<>=!~ ;"));
}

// What an environment that holds nothing yet is given: the framework itself as well.
std::vector<std::string> with_framework(const ChainBuilder& chain, std::vector<std::string> requirements) {
  const auto& owner = chain.chain;
  const bool named = std::any_of(requirements.begin(), requirements.end(), [&](const std::string& requirement) {
    const auto name = name_in(requirement);
    return name == owner.package || name == owner.framework || name.starts_with(owner.framework + "-");
  });
  if (!named && !owner.package.empty() && !owner.version.empty())
    requirements.insert(requirements.begin(), owner.package + "==" + owner.version);
  return requirements;
}

// In a new environment nothing has to be forced.
std::vector<std::string> for_new_environment(std::vector<std::string> options) {
  std::erase_if(options,
                [](const std::string& option) { return option == "--force-reinstall" || option == "--no-deps"; });
  return options;
}

std::string new_environment_command(const ChainBuilder& chain, const std::vector<std::string>& requirements,
                                    const std::vector<std::string>& options) {
  const bool windows = chain.snapshot().windows.has_value();
  const std::string folder = windows ? "\"$HOME\\gpu-env\"" : "~/gpu-env";
  const std::string python = windows ? "\"$HOME\\gpu-env\\Scripts\\python.exe\"" : "~/gpu-env/bin/python";
  const auto words = [&](std::string command) {
    return joined(joined(std::move(command), for_new_environment(options)), with_framework(chain, requirements));
  };
  if (chain.environment().kind == "uv") {
    return in_turn(chain, {"uv venv --python " + shell_word(chain.environment().executable) + " " + folder,
                           words("uv pip install --python " + python)});
  }
  return in_turn(chain, {venv_package_command(chain), program_word(chain) + " -m venv " + folder,
                         words((windows ? "& " : "") + python + " -m pip install")});
}

}  // namespace

std::string install_command(const ChainBuilder& chain, const std::vector<std::string>& requirements,
                            const std::vector<std::string>& options) {
  const auto& environment = chain.environment();
  if (environment.externally_managed) return new_environment_command(chain, requirements, options);
  return in_turn(chain, {pip_first(chain), joined(joined(tool_command(chain, "install"), options), requirements)});
}

std::vector<std::string> replace_commands(const ChainBuilder& chain, const std::vector<std::string>& gone,
                                          const std::vector<std::string>& requirements,
                                          const std::vector<std::string>& options) {
  const auto& environment = chain.environment();
  if (environment.externally_managed) return {new_environment_command(chain, requirements, options)};
  std::vector<std::string> commands = {pip_first(chain), joined(tool_command(chain, "uninstall"), gone),
                                       joined(joined(tool_command(chain, "install"), options), requirements)};
  std::erase(commands, "");
  return commands;
}

std::vector<std::string> change_commands(const ChainBuilder& chain, const PythonPackage& installed,
                                         const std::vector<std::string>& requirements) {
  std::vector<std::string> commands;
  for (const auto& folder : chain.environment().search_path) {
    if (folder.path != installed.site) continue;
    // pip installs into the environment's own folder, which is searched after these two.
    if (folder.origin == "pythonpath") commands.push_back(unset_command(chain.snapshot(), "PYTHONPATH"));
    if (folder.origin == "user-site") commands.push_back(set_command(chain.snapshot(), "PYTHONNOUSERSITE", "1"));
    break;
  }
  commands.push_back(install_command(chain, requirements));
  return commands;
}

}  // namespace gpuway
