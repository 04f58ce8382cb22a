#include "think/model/answer.h"

namespace gpuway {

std::string environment_id(const std::string& distribution, const std::string& id) {
  return distribution.empty() ? id : distribution + ":" + id;
}

std::string_view to_word(Severity value) {
  switch (value) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: break;
  }
  return "note";
}

std::string_view to_word(Certainty value) {
  switch (value) {
    case Certainty::proven: return "proven";
    case Certainty::probable: return "probable";
    case Certainty::undetermined: break;
  }
  return "undetermined";
}

std::string_view to_word(Verdict value) {
  switch (value) {
    case Verdict::yes: return "yes";
    case Verdict::no: return "no";
    case Verdict::crashes: return "crashes";
    case Verdict::undetermined: break;
  }
  return "undetermined";
}

std::string_view to_word(LinkState value) {
  switch (value) {
    case LinkState::ok: return "ok";
    case LinkState::broken: return "broken";
    case LinkState::undetermined: return "undetermined";
    case LinkState::not_reached: break;
  }
  return "not-reached";
}

}  // namespace gpuway
