// SPDX-License-Identifier: Apache-2.0
#include "batch/split.hpp"

#include <algorithm>

namespace gemmill {
namespace {

double seconds_of(const BatchWorker& w, const ProductCost& cost) {
    return std::max({cost.flops / w.flops, cost.in / w.in, cost.out / w.out});
}

bool is_alike(const Batch& x) {
    return is_uniform(x) && x.alpha.each == nullptr && x.beta.each == nullptr;
}

template <class V>
void pick(PerProduct<V>& values, std::span<const index_t> products, std::vector<V>& to) {
    if (values.each == nullptr) return;
    for (const index_t i : products) to.push_back(values.each[i]);
    values.each = to.data();
}

void pick(BatchFactor& factor, index_t bytes, std::span<const index_t> products,
          std::vector<std::byte>& to) {
    if (factor.each == nullptr) return;
    const auto* all = static_cast<const std::byte*>(factor.each);
    for (const index_t i : products) to.insert(to.end(), all + i * bytes, all + (i + 1) * bytes);
    factor.each = to.data();
}

void pick(BatchMatrix& x, Type type, std::span<const index_t> products,
          std::vector<const void*>& to) {
    for (const index_t i : products) to.push_back(matrix_of(x, type, i));
    x.data = nullptr, x.stride = 0, x.array = to.data();
}

}  // namespace

ProductCost cost_of(const GemmArgs& g) {
    const auto m = static_cast<double>(g.m), n = static_cast<double>(g.n),
               k = static_cast<double>(g.k), bytes = static_cast<double>(bytes_of(g.type));
    const bool multiplies = g.k > 0 && g.alpha != Scalar{};
    ProductCost cost;
    cost.out = bytes * m * n;
    if (multiplies) cost.flops = flops_per_fma(g.type) * m * n * k;
    if (multiplies) cost.in = bytes * (m * k + k * n);
    if (g.beta != Scalar{}) cost.in += cost.out;
    return cost;
}

double seconds_of(const BatchWorker& worker, const Batch& x) {
    if (x.count == 0) return 0;
    if (is_alike(x))
        return static_cast<double>(x.count) * seconds_of(worker, cost_of(product_of(x, 0)));
    double sum = 0;
    for (index_t i = 0; i < x.count; ++i) sum += seconds_of(worker, cost_of(product_of(x, i)));
    return sum;
}

std::vector<index_t> deal(const Batch& x, std::span<const BatchWorker> workers) {
    // A worker's part is to its speed with all of the batch; where it begins and ends is by the
    // first one's seconds, of which even an empty product has some.
    constexpr double least = 1e-12;
    std::vector<double> until;  // parts up to each worker's end
    double speeds = 0;
    for (const BatchWorker& worker : workers) {
        speeds += 1 / (seconds_of(worker, x) + least);
        until.push_back(speeds);
    }
    const double all = seconds_of(workers[0], x) + least * static_cast<double>(x.count);
    std::vector<index_t> bounds{0};
    double done = 0;
    index_t i = 0;
    const bool alike = is_alike(x);
    for (const double end : until) {
        const double wanted = end / speeds;
        if (alike)
            i = static_cast<index_t>(wanted * static_cast<double>(x.count) + 0.5);
        else
            for (; i < x.count; ++i) {
                const double of_this = seconds_of(workers[0], cost_of(product_of(x, i))) + least;
                if (done + of_this / 2 > wanted * all) break;
                done += of_this;
            }
        bounds.push_back(i);
    }
    bounds.back() = x.count;
    return bounds;
}

Picked::Picked(const Batch& all, std::span<const index_t> products) : batch_(all) {
    batch_.count = static_cast<index_t>(products.size());
    pick(batch_.op_a, products, op_a_);
    pick(batch_.op_b, products, op_b_);
    pick(batch_.m, products, m_);
    pick(batch_.n, products, n_);
    pick(batch_.k, products, k_);
    pick(batch_.a.ld, products, lda_);
    pick(batch_.b.ld, products, ldb_);
    pick(batch_.c.ld, products, ldc_);
    pick(batch_.alpha, factor_bytes(all.type), products, alpha_);
    pick(batch_.beta, factor_bytes(all.type), products, beta_);
    pick(batch_.a, all.type, products, a_);
    pick(batch_.b, all.type, products, b_);
    pick(batch_.c, all.type, products, c_);
}

}  // namespace gemmill
