# What `cmake --install` lays down besides libraries and headers: the package that find_package(millrace) reads.
include_guard()
include(CMakePackageConfigHelpers)

set(millrace_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/millrace")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/millraceConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/millraceConfig.cmake" INSTALL_DESTINATION "${millrace_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/millraceConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/millraceConfig.cmake" "${PROJECT_BINARY_DIR}/millraceConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindCAF.cmake" "${PROJECT_SOURCE_DIR}/cmake/Findre2.cmake"
        DESTINATION "${millrace_package_dir}")
install(
  EXPORT millraceTargets
  NAMESPACE millrace::
  DESTINATION "${millrace_package_dir}")
