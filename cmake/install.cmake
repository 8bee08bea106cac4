# SPDX-License-Identifier: Apache-2.0
# What `make install` puts where: library, headers, command, machines, and the two ways to find it.
include(CMakePackageConfigHelpers)

set(gemmill_package ${CMAKE_INSTALL_LIBDIR}/cmake/gemmill)

install(TARGETS gemmill EXPORT gemmillTargets)
install(EXPORT gemmillTargets NAMESPACE gemmill:: DESTINATION ${gemmill_package})
install(DIRECTORY include/gemmill ${PROJECT_BINARY_DIR}/generated/gemmill
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

configure_package_config_file(cmake/gemmillConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/generated/gemmillConfig.cmake
                              INSTALL_DESTINATION ${gemmill_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/gemmillConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/gemmillConfig.cmake
              ${PROJECT_BINARY_DIR}/generated/gemmillConfigVersion.cmake
        DESTINATION ${gemmill_package})

# The prefix of the .pc file is relative to where it lies, so that the tree can be moved.
file(RELATIVE_PATH gemmill_prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
     ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/gemmill.pc.in ${PROJECT_BINARY_DIR}/generated/gemmill.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/gemmill.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET gemmill_command)
  install(TARGETS gemmill_command RUNTIME)
endif()
file(GLOB gemmill_machines CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/machine/catalogue/*.machine)
install(FILES ${gemmill_machines} DESTINATION ${CMAKE_INSTALL_DATADIR}/gemmill/machines)
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
