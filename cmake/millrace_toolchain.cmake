# What a build gains when the machine has it: a compiler cache and a fast linker. Neither is required.
include_guard()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(MILLRACE_CCACHE ccache)
  mark_as_advanced(MILLRACE_CCACHE)
  if(MILLRACE_CCACHE)
    # Precompiled headers are cached only with these liberties; none of the sources use __TIME__ or __DATE__.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND}" -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        "${MILLRACE_CCACHE}")
  endif()
endif()

if(PROJECT_IS_TOP_LEVEL)
  find_program(MILLRACE_MOLD mold)
  mark_as_advanced(MILLRACE_MOLD)
  if(MILLRACE_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
endif()

# g++ collects its own garbage from 128 MB on, which takes a fifth of the time of a unit full of templates.
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("SHELL:--param ggc-min-heapsize=1000000")
endif()

# The warnings that the project's own code must not raise; they are errors wherever CMAKE_COMPILE_WARNING_AS_ERROR is on,
# as it is in every preset.
function(millrace_warnings target)
  target_compile_options(
    ${target}
    PRIVATE -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor
            # g++ 12 sees overlapping copies in `"text" + std::string` (GCC bug 105651).
            $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
            # The compiler cache needs the preprocessed form of a precompiled header.
            $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()
