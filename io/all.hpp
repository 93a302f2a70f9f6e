#pragma once

// Everything that a program needs to read and write the world outside. For user programs; the project's own code
// includes what it uses.
#include <millrace/io/checkpoint_directory.hpp>
#include <millrace/io/csv.hpp>
#include <millrace/io/enrich.hpp>
#include <millrace/io/json_lines.hpp>
#include <millrace/io/named_zone.hpp>
#include <millrace/io/print.hpp>
#include <millrace/io/read_csv.hpp>
#include <millrace/io/read_lines.hpp>
#include <millrace/io/read_text.hpp>
#include <millrace/io/regex.hpp>
#include <millrace/io/run_inference.hpp>
#include <millrace/io/sqlite_sink.hpp>
#include <millrace/io/timestamps.hpp>
#include <millrace/io/watch_files.hpp>
#include <millrace/io/write_text.hpp>
