# Everything that the three libraries link to. Tests and examples look for their own libraries.
include_guard()

if(NOT DEFINED BUILD_SHARED_LIBS)
  set(BUILD_SHARED_LIBS OFF)
endif()
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(ZLIB REQUIRED)
find_package(zstd REQUIRED CONFIG)
find_package(SQLite3 REQUIRED)
find_package(re2 REQUIRED MODULE)
find_package(date REQUIRED CONFIG)
# Compiled in from its header alone.
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
mark_as_advanced(XXHASH_INCLUDE_DIR)
find_package(CAF 0.17.6 REQUIRED COMPONENTS core)
