// SPDX-License-Identifier: Apache-2.0
// What `gemmill bench batch` runs: many small products, ours and those of cuBLAS or of a loop over
// the host BLAS, in the same run and each checked.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/open_peers.hpp"
#include "gemmill/batch.hpp"
#include "gemmill/context.hpp"

namespace gemmill::command {

enum class BatchKind : std::uint8_t { strided, pointers, variable };

/// How variable sizes lie between 1 and the largest: evenly, around its half, most of them small
/// (as the cube of an even number), or up to 8 but for every 32nd.
enum class BatchSpread : std::uint8_t { even, gaussian, skewed, tiny };

/// C = 1.1 op(A) op(B) + 0.9 C. Of variable sizes m, n and k are the largest ones.
struct BatchBenchCase {
    BatchKind kind = BatchKind::strided;
    Type type = Type::d;
    Op op_a = Op::NoTrans, op_b = Op::NoTrans;
    index_t m = 0, n = 0, k = 0;
    BatchSpread spread = BatchSpread::even;
    double asked = 0;               ///< the peer's time over ours is at least this; 0: nothing
    std::array<index_t, 3> gaps{};  ///< between the columns of A, B and C, in elements
    index_t count = 0;              ///< products; 0: as many as there is room for
    double bytes = 0;               ///< or as many as move these; 0: any
};
/// "d strided nn 16", "d pointers nn 64x64x8", "d variable 128 gauss".
std::string name_of(const BatchBenchCase& one);
std::vector<BatchBenchCase> batch_cases(bool on_cpu, bool quick);
/// Between 1 and `most`, the same for the same seed.
std::vector<index_t> batch_sizes(index_t most, index_t count, BatchSpread spread, unsigned seed);
/// So many shapes, the same for the same seed: m, n and k log-uniform in 1..most, each op, gaps of
/// 0 or 1 to 7, counts with which 10^8 to 10^9.5 bytes move; strided and by pointers. few: also
/// batches of 1, 10, 100 and 1000 products of these shapes.
struct RandomCases {
    int shapes = 0;
    unsigned seed = 1;
    index_t most = 128;
    std::string types = "dsczh";
    bool few = false, pointers = true;
};
std::vector<BatchBenchCase> random_batch_cases(const RandomCases& of);

struct BatchTiming {
    std::string who;
    double seconds = 0;  ///< of one call, the median
    double error = 0;    ///< of the products looked at: 1 or less is right
    std::string fault;   ///< why it did not run
};
struct BatchResult {
    BatchBenchCase one;
    index_t count = 0;
    double bytes = 0, flops = 0;
    std::vector<BatchTiming> timings;  ///< ours first
    Batch batch;                       ///< what was run; its arrays are gone

    /// The fastest that ran.
    const BatchTiming* peer() const;
    bool right() const;
};

/// A kernel that is not compiled in. It throws Error.
struct MoreKernel {
    std::string name;
    std::function<void(int gpu, void* stream, const Batch& batch)> run;
};

class BatchBench {
  public:
    /// devices: cpu or cuda:N; `room` bytes for each of A, B and C. fitted: on a GPU, ours is timed
    /// when kernels have been fitted to the shape, if they will be.
    BatchBench(const std::string& devices, int gpu, std::size_t room, int repeats, bool peers,
               bool fitted = false);
    ~BatchBench();

    std::string gpu_name() const;
    /// Read and written, bytes/s.
    double copy_rate() const;
    /// Ours and its peer; or each kernel that is compiled in, cuBLAS, and `more`.
    BatchResult run(const BatchBenchCase& one, bool each_kernel = false,
                    const std::vector<MoreKernel>& more = {});

  private:
    struct Layout;
    struct Contender;
    struct Looked;
    bool on_gpu() const { return peers_ != nullptr; }
    std::byte* allocate(std::size_t bytes);
    void fill(Type type);
    Layout lay_out(const BatchBenchCase& one);
    Batch send(Batch batch);
    std::vector<Contender> contenders(const BatchBenchCase& one, const Layout& layout);
    std::vector<Contender> kernels(const Layout& layout);
    std::vector<Looked> look_at(const BatchBenchCase& one, const Layout& layout,
                                index_t most) const;
    double error_of(const BatchBenchCase& one, const Layout& layout,
                    const std::vector<Looked>& looked);
    static void call_until_fitted(const std::function<double(int calls)>& seconds_of);
    double time(const Contender& contender, double hopeless) const;
    void wait() const;

    Context context_;
    int gpu_;
    std::unique_ptr<OpenPeers> peers_;
    bool with_peers_;
    std::size_t room_;
    int repeats_;
    bool fitted_;
    std::vector<std::byte*> owned_, arrays_;
    std::byte *a_, *b_, *c_, *c0_;
    std::optional<Type> filled_;  ///< what the matrices are full of
};

struct BatchReport {
    std::string devices, gpu;
    double copy = 0;  ///< bytes/s
    std::vector<BatchResult> results;
};
std::string to_text(const BatchReport& report);
nlohmann::ordered_json to_json(const BatchReport& report);
/// How ours stands to its peers, by type and kind: how often it is not slower, the geometric mean,
/// and the share of a copy where memory is what takes the time.
std::string summary_of_random(const BatchReport& report);
/// The time of the peer over ours, over the size of a product.
std::string draw_ratios(const BatchReport& report);
/// TB/s of square products of doubles over n, with the peers and the copy rate.
std::string draw(const BatchReport& report);
/// TFLOP/s of batches of doubles over the largest of their sizes.
std::string draw_variable(const BatchReport& report);

}  // namespace gemmill::command
