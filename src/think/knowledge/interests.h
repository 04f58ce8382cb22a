#pragma once

#include <set>
#include <string>

namespace gpuway {

/// Top-level module names whose import candidates the chains want to know.
std::set<std::string> modules_wanted();
/// Normalised distribution names whose METADATA the chains want to read.
std::set<std::string> distributions_wanted();

/// The newest date on which a row of the tables was checked, YYYY-MM-DD.
std::string knowledge_date();

}  // namespace gpuway
