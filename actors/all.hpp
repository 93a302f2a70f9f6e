#pragma once

// Everything that a program needs to run pipelines on actors. For user programs; the project's own code includes what
// it uses.
#include <millrace/actors/engine.hpp>
#include <millrace/actors/inlet.hpp>
#include <millrace/actors/job.hpp>
#include <millrace/actors/outlet.hpp>
#include <millrace/actors/run.hpp>
#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/transforms/all.hpp>
#include <millrace/transforms/checkpoints/memory_checkpoints.hpp>
