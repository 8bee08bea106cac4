// SPDX-License-Identifier: Apache-2.0
#include "kernel/cuda/launch/launch.cuh"
#include "kernel/cuda/launch/memory.hpp"
#include "kernel/cuda/pointers/distances.cuh"
#include "kernel/cuda/pointers/guess.hpp"

namespace gemmill::batch {
namespace {

/// A word in memory of the stream. Nobody clears it: what lies there by chance is another mark, or
/// a batch is made by pointers without need.
cudaError_t take_word(unsigned mark, Verdict& verdict, cudaStream_t stream) {
    void* memory = nullptr;
    const auto error = allocate(&memory, sizeof(unsigned), stream);
    verdict = {static_cast<unsigned*>(memory), mark};
    return error;
}
cudaError_t give_word(const Verdict& verdict, cudaError_t error, cudaStream_t stream) {
    const auto freed = cudaFreeAsync(verdict.word, stream);
    return error != cudaSuccess ? error : freed;
}

cudaError_t look_and_answer(const BatchArrays& x, const Verdict& verdict, BatchNotice* notice,
                            cudaStream_t stream) {
    if (const auto e = launch<look_kernel>(parts(x.count, distance_threads), distance_threads, 0,
                                           stream, x, verdict))
        return e;
    return launch<answer_kernel>(1, 1, 0, stream, x, verdict, notice);
}

cudaError_t verify_and_run(const Batch& x, const PointerGuess& guess, const Verdict& verdict,
                           cudaStream_t stream) {
    if (const auto e =
            launch<verify_kernel>(parts(x.count, distance_threads), distance_threads, 0, stream,
                                  arrays_of(x), guess.distances, verdict, guess.notice))
        return e;
    const bool early = has_early_launch();
    const Gate expected{verdict.word, verdict.mark, false},
        elsewhere{verdict.word, verdict.mark, true};
    const Slot slot{stream, early, expected};
    if (const auto e = guess.fitted != nullptr ? guess.fitted->run(guess.strided, slot)
                                               : guess.by_strides->run(guess.strided, slot))
        return e;
    return guess.by_pointers->run(x, {stream, early, elsewhere});
}

}  // namespace

cudaError_t look_at_distances(const Batch& x, unsigned mark, BatchNotice* notice,
                              cudaStream_t stream) {
    Verdict verdict{};
    if (const auto e = take_word(mark, verdict, stream)) return e;
    return give_word(verdict, look_and_answer(arrays_of(x), verdict, notice, stream), stream);
}

cudaError_t run_guessed(const Batch& x, const PointerGuess& guess, cudaStream_t stream) {
    Verdict verdict{};
    if (take_word(guess.mark, verdict, stream) != cudaSuccess) {
        cudaGetLastError();
        return guess.by_pointers->run(x, stream);
    }
    return give_word(verdict, verify_and_run(x, guess, verdict, stream), stream);
}

}  // namespace gemmill::batch
