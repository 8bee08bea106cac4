/* SPDX-License-Identifier: Apache-2.0
 *
 * What libgemmill asks of libgemmill_cuda.so: plain C, so that either can be replaced alone.
 */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the records of this node's GPUs (memory, device and link lines of a machine file, which
 * expect a memory called host) and a final zero into text. Returns 0, or a CUDA error code with its
 * words in text; -1 when size is too small. */
typedef int (*gemmill_cuda_probe_function)(char* text, size_t size);
__attribute__((visibility("default"))) int gemmill_cuda_probe(char* text, size_t size);

#ifdef __cplusplus
}
#endif
