#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# HPL and DGEMM of the HPC Challenge, two processes, in a folder of its own:
#     sh examples/blas/hpcc.sh $(gemmill blas --preload)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp /usr/share/doc/hpcc/examples/_hpccinf.txt "$folder/hpccinf.txt"
cd "$folder"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpiexec --oversubscribe -n 4 -x LD_PRELOAD="$1" hpcc
grep -E '^(Success|HPL_Tflops|StarDGEMM_Gflops)=' hpccoutf.txt
grep -q '^Success=1' hpccoutf.txt
