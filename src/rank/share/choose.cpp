// SPDX-License-Identifier: Apache-2.0
#include "rank/share/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <optional>

#include "gemmill/error.hpp"
#include "rank/share/bricks.hpp"
#include "rank/share/fit.hpp"
#include "rank/share/likely.hpp"

namespace gemmill {
namespace {

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
/// Bricks that are priced of those that fit, those that send least.
constexpr int most_priced = 2;
constexpr double never = std::numeric_limits<double>::max();

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
        price_bricks(gain);
    }

    /// All bricks make even shares: those that send least and fit, and the one whose busiest rank
    /// gets least, of those that send little, unless all are on one node. Where memory is short for
    /// these, any that are likely.
    void price_bricks(double gain) {
        const ProductOwners owners = brick_owners(update_, ranks_);
        const std::vector<DealtBricks> all = frugal_bricks(update_, owners, ranks_);
        const auto price = [&](const DealtBricks& x) {
            return consider(work_of(x, owners, ranks_), gain);
        };
        const double little = policy_.one_node ? never : as_frugal * all.front().sent;
        const auto busiest = [&](const DealtBricks& x) {
            return x.sent <= little ? x.busiest : never;
        };
        const auto even = std::ranges::min_element(all, {}, busiest);
        int priced = 0;
        auto next = all.begin();
        for (; next != all.end() && priced < most_priced; ++next) priced += price(*next) ? 1 : 0;
        if (even >= next && even != all.end()) priced += price(*even) ? 1 : 0;
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
        const ShareSize share = largest_share(work);
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
        const auto sent = [&](const Way& x) { return x.judged <= seconds ? x.sent : never; };
        const double bytes = as_little * sent(*std::ranges::min_element(ways_, {}, sent));
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
