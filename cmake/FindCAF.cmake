# Finds the C++ Actor Framework, whose Debian package ships no CMake configuration.
#   find_package(CAF 0.17.6 REQUIRED COMPONENTS core io)
# defines CAF_VERSION, CAF_INCLUDE_DIR and one imported target per component: CAF::core, CAF::io.

find_path(CAF_INCLUDE_DIR caf/config.hpp)
mark_as_advanced(CAF_INCLUDE_DIR)

if(CAF_INCLUDE_DIR)
  # The header says `#define CAF_VERSION 1706`: major * 10000 + minor * 100 + patch.
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" _caf_line REGEX "^#define CAF_VERSION [0-9]+")
  string(REGEX REPLACE "^#define CAF_VERSION ([0-9]+).*" "\\1" _caf_number "${_caf_line}")
  math(EXPR _caf_major "${_caf_number} / 10000")
  math(EXPR _caf_minor "(${_caf_number} / 100) % 100")
  math(EXPR _caf_patch "${_caf_number} % 100")
  set(CAF_VERSION "${_caf_major}.${_caf_minor}.${_caf_patch}")
endif()

find_package(Threads QUIET)

foreach(_caf_component IN LISTS CAF_FIND_COMPONENTS)
  find_library(CAF_${_caf_component}_LIBRARY "caf_${_caf_component}")
  mark_as_advanced(CAF_${_caf_component}_LIBRARY)
  if(CAF_${_caf_component}_LIBRARY)
    set(CAF_${_caf_component}_FOUND TRUE)
    if(NOT TARGET CAF::${_caf_component})
      add_library(CAF::${_caf_component} UNKNOWN IMPORTED)
      set_target_properties(
        CAF::${_caf_component}
        PROPERTIES IMPORTED_LOCATION "${CAF_${_caf_component}_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                        "${CAF_INCLUDE_DIR}")
      target_link_libraries(CAF::${_caf_component} INTERFACE Threads::Threads)
      if(NOT _caf_component STREQUAL "core" AND TARGET CAF::core)
        target_link_libraries(CAF::${_caf_component} INTERFACE CAF::core)
      endif()
    endif()
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  CAF
  REQUIRED_VARS CAF_INCLUDE_DIR
  VERSION_VAR CAF_VERSION
  HANDLE_COMPONENTS)
