# SPDX-License-Identifier: Apache-2.0
# What `make install` puts where: libraries, headers, command, machines, and the two ways to find them.
include(CMakePackageConfigHelpers)

set(gemmill_package ${CMAKE_INSTALL_LIBDIR}/cmake/gemmill)

install(TARGETS gemmill EXPORT gemmillTargets)
install(EXPORT gemmillTargets NAMESPACE gemmill:: DESTINATION ${gemmill_package})

# The component `blas`: the BLAS symbols, and the folder in which they are called libblas.so.3.
install(TARGETS gemmill_blas gemmill_blas64 EXPORT gemmillBlasTargets)
install(EXPORT gemmillBlasTargets NAMESPACE gemmill:: DESTINATION ${gemmill_package})
foreach(folder gemmill_blas_folder gemmill_blas64_folder)
  if(TARGET ${folder})
    install(TARGETS ${folder} LIBRARY DESTINATION ${GEMMILL_BLAS_FOLDER})
  endif()
endforeach()

# The component `mpi`: ranks, where there was an MPI.
if(TARGET gemmill_mpi)
  install(TARGETS gemmill_mpi gemmill_scalapack EXPORT gemmillMpiTargets)
  install(EXPORT gemmillMpiTargets NAMESPACE gemmill:: DESTINATION ${gemmill_package})
endif()

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
foreach(name gemmill gemmill_blas gemmill_blas64)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/generated/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/generated/${name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

if(TARGET gemmill_command)
  install(TARGETS gemmill_command RUNTIME)
  if(TARGET gemmill_ranks)
    install(TARGETS gemmill_ranks RUNTIME)
  endif()
endif()
# What `gemmill tune batch` compiles candidates from.
install(DIRECTORY src/kernel/ DESTINATION ${CMAKE_INSTALL_DATADIR}/gemmill/kernels/kernel
        FILES_MATCHING PATTERN "*.cuh" PATTERN "*.hpp" PATTERN "*.table"
        PATTERN "cpu" EXCLUDE PATTERN "reference" EXCLUDE)
file(GLOB gemmill_machines CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/machine/catalogue/*.machine)
install(FILES ${gemmill_machines} DESTINATION ${CMAKE_INSTALL_DATADIR}/gemmill/machines)
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
