#include "think/rules/install_command.h"

#include "unit/rules/import_fixture.h"

namespace gpuway {
namespace {

class InstallCommand : public ImportFixture {
 protected:
  InstallCommand() { installed("torch", "2.4.0"); }

  template <class Ask>
  auto with_chain(const Ask& ask) {
    ChainBuilder chain(snapshot_, environment_, "pytorch", wants_);
    chain.chain.package = "torch";
    chain.chain.version = "2.4.0";
    return ask(chain);
  }
  std::string install(const std::vector<std::string>& requirements, const std::vector<std::string>& options = {}) {
    return with_chain([&](const ChainBuilder& chain) { return install_command(chain, requirements, options); });
  }
  std::vector<std::string> replace(const std::vector<std::string>& gone, const std::vector<std::string>& requirements) {
    return with_chain([&](const ChainBuilder& chain) { return replace_commands(chain, gone, requirements); });
  }
  void ensurepip(bool there) { environment_.ensurepip = Fact<bool>::known(there, {}); }
  void debian_system() {
    environment_.path = environment_.base_prefix = "/usr";
    environment_.kind = "system";
    environment_.executable = "/usr/bin/python3";
    environment_.search_path.push_back({"/usr/lib/python3/dist-packages", "site", true});
  }
  using Lines = std::vector<std::string>;
};

TEST_F(InstallCommand, is_the_environments_own_pip) {
  ensurepip(true);
  installed("pip", "24.0");
  EXPECT_EQ(install({"numpy<2"}), "/env/bin/python -m pip install 'numpy<2'");
  EXPECT_EQ(replace({"torch"}, {"torch"}),
            (Lines{"/env/bin/python -m pip uninstall -y torch", "/env/bin/python -m pip install torch"}));
}

TEST_F(InstallCommand, puts_pip_in_first_where_it_is_not_there) {
  EXPECT_EQ(install({"numpy"}), "/env/bin/python -m pip install numpy") << "nothing tells how pip would come in";
  ensurepip(true);
  EXPECT_EQ(install({"numpy"}), "/env/bin/python -m ensurepip && /env/bin/python -m pip install numpy");
  EXPECT_EQ(replace({"torch"}, {"torch"}),
            (Lines{"/env/bin/python -m ensurepip", "/env/bin/python -m pip uninstall -y torch",
                   "/env/bin/python -m pip install torch"}));
  environment_.kind = "conda";
  EXPECT_EQ(install({"numpy"}), "conda install -p /env pip && /env/bin/python -m pip install numpy");
  environment_.kind = "uv";
  EXPECT_EQ(install({"numpy"}), "uv pip install --python /env/bin/python numpy");
}

TEST_F(InstallCommand, asks_debian_for_the_pip_that_it_splits_off) {
  debian_system();
  ensurepip(false);
  EXPECT_EQ(install({"numpy"}), "sudo apt install python3-pip && /usr/bin/python3 -m pip install numpy");
  snapshot_.system.container = Fact<std::string>::known("docker", {});
  EXPECT_EQ(install({"numpy"}), "apt install python3-pip && /usr/bin/python3 -m pip install numpy");
}

TEST_F(InstallCommand, leaves_alone_what_pip_may_not_change) {
  debian_system();
  installed("pip", "24.0");
  environment_.externally_managed = true;
  ensurepip(true);
  const std::string made = "/usr/bin/python3 -m venv ~/gpu-env && ~/gpu-env/bin/python -m pip install ";
  EXPECT_EQ(install({"torch==2.4.0"}, {"--force-reinstall"}), made + "torch==2.4.0");
  EXPECT_EQ(install({"numpy<2"}), made + "torch==2.4.0 'numpy<2'") << "the new environment has no framework yet";
  EXPECT_EQ(replace({"torch"}, {"torch"}), Lines{made + "torch"});
  ensurepip(false);
  EXPECT_EQ(install({"torch"}), "sudo apt install python3.11-venv && " + made + "torch");
}

TEST_F(InstallCommand, makes_uvs_own_environment_beside_a_python_of_uv) {
  environment_.kind = "uv";
  environment_.executable = "/home/u/.local/share/uv/python/cpython-3.11/bin/python3.11";
  environment_.externally_managed = true;
  ensurepip(true);
  EXPECT_EQ(install({"torch"}), "uv venv --python " + environment_.executable +
                                    " ~/gpu-env && uv pip install --python ~/gpu-env/bin/python torch");
}

TEST_F(InstallCommand, speaks_powershell_on_windows) {
  snapshot_.windows.emplace();
  environment_.executable = "C:/Program Files/Python311/python.exe";
  environment_.externally_managed = true;
  EXPECT_EQ(install({"torch"}),
            "& 'C:\\Program Files\\Python311\\python.exe' -m venv \"$HOME\\gpu-env\"; "
            "& \"$HOME\\gpu-env\\Scripts\\python.exe\" -m pip install torch");
}

}  // namespace
}  // namespace gpuway
