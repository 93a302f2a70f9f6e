include_guard()

# Defines the library millrace_NAME (alias millrace::NAME) of the folder NAME.
#   millrace_library(io HEADERS all.hpp print.hpp SOURCES text_source.cpp LINK millrace_transforms ZLIB::ZLIB)
# Paths are relative to the folder. HEADERS are public: they are installed.
function(millrace_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;SOURCES;LINK;PRIVATE_LINK")
  set(target millrace_${name})
  add_library(${target} ${arg_SOURCES})
  add_library(millrace::${name} ALIAS ${target})

  list(TRANSFORM arg_HEADERS PREPEND "${PROJECT_BINARY_DIR}/include/millrace/${name}/")
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_BINARY_DIR}/include" FILES ${arg_HEADERS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(
    ${target}
    PUBLIC ${arg_LINK}
    PRIVATE ${arg_PRIVATE_LINK})
  millrace_warnings(${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON)
  install(
    TARGETS ${target}
    EXPORT millraceTargets
    FILE_SET HEADERS
    ARCHIVE LIBRARY RUNTIME)
endfunction()
