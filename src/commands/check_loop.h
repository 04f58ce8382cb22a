#pragma once

#include <chrono>

#include "sense/host/host.h"
#include "think/model/answer.h"
#include "think/model/snapshot.h"
#include "think/rules/judge.h"

namespace gpuway {

/// Judges a Snapshot and fetches what the judgement still wants, until nothing new is wanted. After that the Snapshot
/// holds everything the answer rests on, so that judging it again (`--from`) gives the same answer.
/// `limit` is how long a program or a driver library may take.
Answer judge_while_fetching(const Host& host, const JudgeOptions& options, std::chrono::milliseconds limit, Snapshot& snapshot);

}  // namespace gpuway
