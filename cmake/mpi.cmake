# SPDX-License-Identifier: Apache-2.0
# Ranks: libgemmill_mpi.so (dist.hpp) and libgemmill_scalapack.so (level 3 of PBLAS under its own
# names). A machine without MPI builds everything else. The tests that need no MPI are in test/rank;
# these libraries are not built for the sanitizers, which MPI itself does not pass.
if(GEMMILL_MPI STREQUAL "OFF" OR (GEMMILL_SANITIZE AND GEMMILL_MPI STREQUAL "AUTO"))
  return()
endif()
if(GEMMILL_MPI STREQUAL "AUTO")
  find_package(MPI QUIET COMPONENTS C)
else()
  find_package(MPI REQUIRED COMPONENTS C)
endif()
if(NOT MPI_C_FOUND)
  message(STATUS "no MPI (libopenmpi-dev): ranks are left out")
  return()
endif()

# add_rank_library(gemmill_mpi src/mpi MAP): the sources of a folder, with the names that MAP says.
function(add_rank_library name folder map)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  add_library(${name} SHARED ${sources})
  add_library(gemmill::${name} ALIAS ${name})
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${GEMMILL_ABI}
                                           INSTALL_RPATH "$ORIGIN")
  target_compile_definitions(${name} PRIVATE GEMMILL_BUILD OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC gemmill MPI::MPI_C
                                PRIVATE $<BUILD_INTERFACE:gemmill_flags> fmt::fmt ${CMAKE_DL_LIBS})
  set(map ${PROJECT_SOURCE_DIR}/cmake/${map})
  target_link_options(${name} PRIVATE -Wl,--no-undefined -Wl,--version-script=${map})
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${map})
endfunction()

add_rank_library(gemmill_mpi src/mpi gemmill.map)
add_rank_library(gemmill_scalapack src/mpi/scalapack scalapack.map)
target_link_libraries(gemmill_scalapack PRIVATE gemmill_mpi)
# Its names must come before those of ScaLAPACK in a program that links both.
target_link_options(gemmill_scalapack PRIVATE -Wl,-z,nodelete)

# ScaLAPACK itself, for the tests and the benchmark beside it; the one of the MPI in use.
set(gemmill_scalapack_names scalapack-openmpi scalapack)
if("${MPI_C_LIBRARIES};${MPI_C_COMPILER}" MATCHES "mpich")
  set(gemmill_scalapack_names scalapack-mpich)
endif()
find_library(GEMMILL_SCALAPACK NAMES ${gemmill_scalapack_names} DOC "ScaLAPACK of the same MPI")
