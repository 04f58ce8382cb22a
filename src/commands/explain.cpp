#include "commands/explain.h"

#include <ostream>
#include <span>
#include <vector>

#include "base/text.h"
#include "commands/progress.h"
#include "say/render/explain.h"
#include "think/explain/explain.h"
#include "think/knowledge/interests.h"

namespace gpuway {
namespace {

constexpr std::size_t kBlock = 64 * 1024;

Status read_file(const Host& host, const std::string& path, LogReader& reader) {
  auto file = host.open_file(path);
  if (!file) return file.error();
  std::vector<std::byte> block(kBlock);
  for (std::uint64_t at = 0; reader.wants_more();) {
    const auto got = (*file)->read(at, block);
    if (!got) return got.error();
    if (*got == 0) break;
    reader.add({reinterpret_cast<const char*>(block.data()), *got});
    at += *got;
  }
  return Done{};
}

void read_stdin(const Program& program, LogReader& reader) {
  std::vector<char> block(kBlock);
  while (reader.wants_more() && program.read_in) {
    const auto got = program.read_in(block.data(), block.size());
    if (got == 0) break;
    reader.add({block.data(), got});
  }
}

}  // namespace

int run_explain(const ExplainOptions& options, Program& program) {
  const Messages messages(options.language.empty() ? language_of_environment(program.host.environment(), program.terminal.language) : options.language);
  Explanation explanation;
  {
    const Progress progress(program, "reading the log");
    LogReader reader;
    if (options.file == "-") {
      read_stdin(program, reader);
    } else if (const auto status = read_file(program.host, options.file, reader); !status) {
      program.err << "gpuway: " << printable(options.file) << ": " << printable(status.error().text()) << "\n";
      return status.error().code == ErrorCode::not_found ? kUsage : kUnfinished;
    }
    explanation = reader.finish();
  }
  if (options.json) {
    program.out << render_explain_json(explanation, GPUWAY_VERSION, knowledge_date());
  } else {
    TextOptions text;
    text.width = program.terminal.width;
    text.colour = options.colour == "always" ||
                  (options.colour == "auto" && program.terminal.out_is_terminal && !program.terminal.no_colour);
    program.out << render_explain_text(explanation, messages, text);
  }
  program.out.flush();
  if (!program.out) {
    program.err << "gpuway: the answer could not be written\n";
    return kUnfinished;
  }
  return explanation.causes.empty() ? kFine : kFindings;
}

}  // namespace gpuway
