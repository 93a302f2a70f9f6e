#pragma once

// Precompiled once for all misuses, which include what they misuse.
#include <millrace/io/all.hpp>
#include <millrace/transforms/all.hpp>
