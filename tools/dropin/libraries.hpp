// SPDX-License-Identifier: Apache-2.0
// Where the drop-in libraries lie.
#pragma once

#include <string>

namespace gemmill::command {

/// libgemmill_blas.so, or libgemmill_blas64.so when integers have 64 bits, beside this command.
/// Throws Error(io) when it is not there.
std::string dropin_library(bool wide);
/// libgemmill_scalapack.so, in the same way.
std::string scalapack_library();
/// The folder that holds it as libblas.so.3 and, where there was an OpenBLAS with integers of 64
/// bits when it was built, as libblas64.so.3. Throws Error(io) in the same way.
std::string dropin_folder(bool wide);
/// Whether a program, or a script's text, names a BLAS with integers of 64 bits.
bool is_wide(const std::string& program);
/// Whether it names ScaLAPACK.
bool uses_scalapack(const std::string& program);
/// Why nothing can be preloaded into a program; empty where it can.
std::string why_not_preloaded(const std::string& program);

}  // namespace gemmill::command
