// SPDX-License-Identifier: Apache-2.0
#include "rank/share/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <optional>
#include <ranges>

#include "gemmill/error.hpp"
#include "rank/share/bricks.hpp"
#include "rank/share/likely.hpp"

namespace gemmill {
namespace {

/// Indices of k in a stage: several times what a BLAS takes at once, so that its own blocking stays
/// whole, and few enough that panels are small beside the matrices.
constexpr index_t usual_depth = 1024, least_depth = 64;
/// Stages of a product on devices that fetch their panels from the host themselves: nothing hides
/// the messages of the first one, and each costs a device some milliseconds in which it is not
/// busy.
constexpr index_t device_stages = 8;
/// Buffers of a stage, as a multiple of what a rank has of the three matrices.
constexpr index_t most_panels = 4;
/// On one node another way than leaving C in place must promise this much: sums that travel are
/// also written and read once more, which nothing hides.
constexpr double gain_wanted = 1.1;
/// Between nodes sums are written and read so much faster than they travel.
constexpr double memory_over_network = 10;
/// Ways whose seconds differ by less are as fast as one another for all that rates can say, which
/// are the same numbers for every network. Among them bytes decide: these are counted, not
/// predicted. On one node, where nothing is sent, seconds do.
constexpr double as_fast = 1.1, as_fast_on_one_node = 1.01;
/// Of these, those that send hardly more than the one that sends least: the fastest.
constexpr double as_little = 1.01;
/// Bricks that are priced of those that fit.
constexpr int most_priced = 3;

struct Sizes {
    index_t rows = 0, cols = 0;
};

Sizes largest_share(const Work& work) {
    Sizes most;
    for (const IndexSet& set : work.rows) most.rows = std::max(most.rows, total(set));
    for (const IndexSet& set : work.cols) most.cols = std::max(most.cols, total(set));
    return most;
}

index_t divided(index_t size, index_t parts) { return (size + parts - 1) / parts; }

/// Whether panels of all factors can lie in memory that ranks share.
bool can_share_all(const DistUpdate& update) {
    const auto is_shared = [](const DistFactor& x) {
        return x.fill == Fill::all && !x.matrix->distribution.has_replicas();
    };
    return std::ranges::all_of(update.terms,
                               [&](const DistTerm& x) { return is_shared(x.a) && is_shared(x.b); });
}

/// Copies that a rank has of its panels: where ranks share them there is one, else there are also
/// what was received for them and what is sent.
index_t copies_of(const DistUpdate& update, const RankCut& cut) {
    if (cut.on_device) return 0;
    return cut.shared && can_share_all(update) ? 1 : 3;
}

/// Panels for each stage under way; sums of C.
std::int64_t memory_of(const DistUpdate& update, const Work& work, const RankCut& cut,
                       const WorkCost& cost) {
    const Sizes share = largest_share(work);
    const index_t rows = divided(share.rows, cut.row_blocks);
    const index_t cols = divided(share.cols, cut.col_blocks);
    const index_t depth = std::min(cut.depth, update.k);
    const index_t panels = copies_of(update, cut) * (rows + cols) * depth * cut.places();
    const bool direct = work.in_place && !cut.on_device && depth == update.k &&
                        update.terms.size() == 1 && update.fill == Fill::all && !update.c_is_factor;
    const index_t sums = direct ? 0 : rows * cols;
    // Sums are sent, received and added up.
    return (panels + sums) * bytes_of(update.type) + 2 * cost.sums;
}

/// Blocks of C that are written one after the other: not where C is needed to the end.
bool may_split(const DistUpdate& update, const Work& work) {
    return work.in_place && !update.c_is_factor;
}

/// Smaller stages, then smaller blocks of C, until it fits.
bool fit(const DistUpdate& update, const Work& work, const WorkCost& cost, std::int64_t limit,
         RankCut& cut) {
    const Sizes share = largest_share(work);
    const bool splits = may_split(update, work);
    while (limit > 0 && memory_of(update, work, cut, cost) > limit) {
        if (cut.depth > least_depth)
            cut.depth = std::max(least_depth, std::min(cut.depth, update.k) / 2);
        else if (splits && divided(share.rows, cut.row_blocks) > 1 &&
                 divided(share.rows, cut.row_blocks) >= divided(share.cols, cut.col_blocks))
            cut.row_blocks *= 2;
        else if (splits && divided(share.cols, cut.col_blocks) > 1)
            cut.col_blocks *= 2;
        else if (cut.depth > 1)
            cut.depth /= 2;
        else
            return false;
    }
    return true;
}

/// Blocks of C whose sums and panels fit into the devices, made along the dimension for which less
/// is fetched again. Returns whether they do.
bool fit_devices(const DistUpdate& update, const Work& work, const WorkCost& cost,
                 std::int64_t limit, RankCut& cut) {
    const Sizes share = largest_share(work);
    const auto rows = [&] { return divided(share.rows, cut.row_blocks); };
    const auto cols = [&] { return divided(share.cols, cut.col_blocks); };
    const auto bytes = [&] {
        const index_t stages = cut.on_device ? cut.places() : cut.uploads ? uploaded_stages : 0;
        const index_t panels = stages * (rows() + cols()) * cut.depth;
        return (rows() * cols() + panels) * bytes_of(update.type);
    };
    while (bytes() > limit) {
        if (!may_split(update, work) || rows() * cols() <= 1) return false;
        // Each block of rows gets B once more, each block of columns A: from others, and from here.
        const std::int64_t line = update.k * bytes_of(update.type);
        const std::int64_t a = cost.factors[0] + (cut.uploads ? share.rows * line : 0);
        const std::int64_t b = cost.factors[1] + (cut.uploads ? share.cols * line : 0);
        const bool down = b * cut.row_blocks <= a * cut.col_blocks;
        (cols() == 1 || (down && rows() > 1) ? cut.row_blocks : cut.col_blocks) *= 2;
    }
    return true;
}

/// The paper's: C stays in blocks that take three quarters of the memory, d fills the rest, and
/// inputs of two stages are fetched ahead where C is split.
RankCut parsec_cut(const DistUpdate& update, const Work& work, const DistPolicy& policy) {
    const Sizes share = largest_share(work);
    RankCut cut;
    cut.shared = policy.shared;
    cut.depth = std::max<index_t>(1, std::min(update.k, usual_depth));
    const std::int64_t size = bytes_of(update.type);
    while (policy.memory > 0 && cut.row_blocks < share.rows &&
           divided(share.rows, cut.row_blocks) * divided(share.cols, cut.col_blocks) * size >
               policy.memory / 4 * 3)
        cut.row_blocks *= 2, cut.col_blocks *= 2;
    cut.lookahead = cut.row_blocks * cut.col_blocks > 1 ? 2 : 1;
    return cut;
}

void set_given(const DistUpdate& update, const DistPolicy& policy, const Work& work, RankCut& cut) {
    const Sizes share = largest_share(work);
    if (!may_split(update, work)) cut.row_blocks = cut.col_blocks = 1;
    if (policy.row_block > 0 && may_split(update, work))
        cut.row_blocks = std::max<index_t>(1, divided(share.rows, policy.row_block));
    if (policy.col_block > 0 && may_split(update, work))
        cut.col_blocks = std::max<index_t>(1, divided(share.cols, policy.col_block));
    if (policy.depth > 0) cut.depth = policy.depth;
    if (policy.lookahead >= 0) cut.lookahead = policy.lookahead;
}

/// Chooses among ways that were priced.
class Chooser {
  public:
    Chooser(const DistUpdate& update, const DistPolicy& policy, const RankRates& rates, int ranks)
        : update_(update), policy_(policy), rates_(rates), ranks_(ranks) {}

    DistChoice run() {
        int rows = 0, cols = 0, depths = 0;
        const std::string& name = policy_.name;
        if (name == "best")
            try_all();
        else if (name == "parsec" || name == "c")
            consider(stationary_c(update_, ranks_), 1);
        else if (name == "a" && may_keep(update_.terms.front().a))
            consider(stationary_a(update_, ranks_), 1);
        else if (name == "b" && may_keep(update_.terms.front().b))
            consider(stationary_b(update_, ranks_), 1);
        else if (name == "a" || name == "b")
            consider(stationary_c(update_, ranks_), 1);
        else if (std::sscanf(name.c_str(), "bricks %dx%dx%d", &rows, &cols, &depths) == 3 &&
                 rows > 0 && cols > 0 && depths > 0 && index_t{rows} * cols * depths <= ranks_)
            for (const bool by_rows : {true, false})
                consider(brick_work(update_, even_bricks(rows, cols, depths, by_rows), ranks_), 1);
        else
            throw Error(Code::bad_argument, fmt::format("rank_policy: '{}'", name),
                        "best, parsec, c, a, b or bricks PxQxR with P Q R <= ranks");
        require(!ways_.empty(), Code::out_of_memory, "a larger rank_memory",
                fmt::format("the product needs {} bytes of each rank at least, {} more than "
                            "rank_memory allows",
                            least_, least_ - policy_.memory));
        return std::move(best_way().choice);
    }

  private:
    void try_all() {
        consider(stationary_c(update_, ranks_), 1);
        const double gain = policy_.one_node ? gain_wanted : 1;
        // To price the others takes longer than some products do.
        if (!ways_.empty() && ways_.front().judged <= gain * least_seconds()) return;
        if (may_keep(update_.terms.front().a)) consider(stationary_a(update_, ranks_), gain);
        if (may_keep(update_.terms.front().b)) consider(stationary_b(update_, ranks_), gain);
        // All bricks make even shares: those that send least and fit.
        const ProductOwners owners = brick_owners(update_, ranks_);
        int priced = 0;
        for (const DealtBricks& bricks : frugal_bricks(update_, owners, ranks_))
            if (consider(work_of(bricks, owners, ranks_), gain) && ++priced == most_priced) return;
        if (priced > 0) return;
        for (const Bricks& bricks : likely_bricks(update_, ranks_))
            consider(brick_work(update_, bricks, ranks_), gain);
    }

    /// What no way is below: even shares of the products, and nothing travels.
    double least_seconds() const {
        const double all = static_cast<double>(update_.terms.size()) * flops_per_fma(update_.type) *
                           static_cast<double>(update_.m) * static_cast<double>(update_.n) *
                           static_cast<double>(update_.k);
        return seconds_of(all / ranks_, 0);
    }

    /// A way that fits: its seconds as they are compared, and bytes that ranks send.
    struct Way {
        DistChoice choice;
        double judged;
        double sent;
    };

    /// Whether a factor can stay where it is.
    bool may_keep(const DistFactor& x) const {
        return update_.terms.size() == 1 && x.fill == Fill::all &&
               !x.matrix->distribution.has_replicas();
    }

    double seconds_of(double flops, double bytes) const {
        return flops / rates_.flops + bytes / rates_.bytes;
    }

    /// On one node nothing is gained by messages beside a product, unless devices make it: then
    /// there is one stage, and no sums beside C, where panels are not too large for it.
    RankCut cut_for(const Work& work, const WorkCost& cost) const {
        RankCut cut;
        cut.shared = policy_.shared;
        if (policy_.device_memory > 0 && cost.bytes > 0)
            if (const auto found = device_cut(work, cost, cut)) return *found;
        cut.depth = depth_for(work, cut);
        return cut;
    }

    /// With panels on the devices too where C is not cut into many more blocks for it.
    std::optional<RankCut> device_cut(const Work& work, const WorkCost& cost, RankCut cut) const {
        const auto fits = [&](RankCut& x) {
            return fit_devices(update_, work, cost, policy_.device_memory, x);
        };
        cut.behind = 1;
        cut.depth = std::max(std::min(update_.k, usual_depth), update_.k / device_stages);
        RankCut uploads = cut;
        uploads.uploads = true;
        // What is put into place while a device computes need not be there before; messages are
        // under way for longer.
        if (cut.shared) uploads.lookahead = 0;
        uploads.behind = 2;
        uploads.depth = std::max<index_t>(1, std::min(update_.k, usual_depth));
        if (!fits(cut)) return std::nullopt;
        const auto are_few = [&](RankCut& x, index_t times) {
            return fits(x) &&
                   x.row_blocks * x.col_blocks <= times * cut.row_blocks * cut.col_blocks;
        };
        if (policy_.one_device && cut.shared && can_share_all(update_))
            for (const auto& [stages, times] :
                 {std::pair{shared_stages, 1}, {uploaded_stages, 2}}) {
                // What is read where it lies stays until the product that reads it is made.
                RankCut there = uploads;
                there.on_device = true, there.behind = stages - 1;
                there.depth = std::max(uploads.depth, std::min(cut.depth, 2 * usual_depth));
                if (are_few(there, times)) return growing(there);
            }
        return are_few(uploads, 2) ? growing(uploads) : cut;
    }

    /// Of several blocks or terms only the first has nothing to hide its first stage behind.
    RankCut growing(RankCut cut) const {
        cut.grows = cut.row_blocks * cut.col_blocks == 1 && update_.terms.size() == 1;
        return cut;
    }

    index_t depth_for(const Work& work, const RankCut& cut) const {
        const Sizes share = largest_share(work);
        const index_t panels = copies_of(update_, cut) * (share.rows + share.cols) * update_.k;
        const index_t matrices =
            (update_.m * update_.k + update_.k * update_.n + update_.m * update_.n) / ranks_;
        const bool whole = policy_.one_node && panels <= most_panels * matrices;
        return std::max<index_t>(1, whole ? update_.k : std::min(update_.k, usual_depth));
    }

    /// Prices a way. Whether it fits.
    bool consider(Work work, double gain) {
        const WorkCost cost = cost_of(update_, work, ranks_);
        RankCut cut =
            policy_.name == "parsec" ? parsec_cut(update_, work, policy_) : cut_for(work, cost);
        set_given(update_, policy_, work, cut);
        const bool fits = fit(update_, work, cost, policy_.memory, cut);
        const std::int64_t memory = memory_of(update_, work, cut, cost);
        least_ = std::min(least_, memory);
        if (!fits) return false;
        // Each further block of rows of C gets B once more, each of columns A.
        const std::int64_t again =
            cost.factors[0] * (cut.col_blocks - 1) + cost.factors[1] * (cut.row_blocks - 1);
        const double seconds =
            seconds_of(cost.flops, static_cast<double>(cost.bytes + again) +
                                       2 * static_cast<double>(cost.sums) /
                                           (policy_.one_node ? 1 : memory_over_network));
        ways_.push_back({{std::move(work), cut, seconds, memory},
                         seconds * gain,
                         static_cast<double>(cost.all_bytes)});
        return true;
    }

    Way& best_way() {
        const double tolerance = policy_.one_node ? as_fast_on_one_node : as_fast;
        const double seconds =
            tolerance * std::ranges::min_element(ways_, {}, &Way::judged)->judged;
        constexpr double never = std::numeric_limits<double>::max();
        const auto sent = [&](const Way& x) { return x.judged <= seconds ? x.sent : never; };
        const double bytes = as_little * std::ranges::min(ways_ | std::views::transform(sent));
        return *std::ranges::min_element(
            ways_, {}, [&](const Way& x) { return sent(x) <= bytes ? x.judged : never; });
    }

    const DistUpdate& update_;
    const DistPolicy& policy_;
    const RankRates& rates_;
    int ranks_;
    std::int64_t least_ = std::numeric_limits<std::int64_t>::max();
    std::vector<Way> ways_;
};

}  // namespace

DistChoice choose_work(const DistUpdate& update, const DistPolicy& policy, const RankRates& rates,
                       int ranks) {
    return Chooser(update, policy, rates, ranks).run();
}

}  // namespace gemmill
