// SPDX-License-Identifier: Apache-2.0
#include "rank/owners/product_owners.hpp"

namespace gemmill {

ProductOwners product_owners(const DistUpdate& update, int ranks) {
    const DistFactor &a = update.terms.front().a, &b = update.terms.front().b;
    const auto side = [](const DistFactor& x, bool first) {
        return MatrixSide{&x.matrix->distribution, (x.op == Op::NoTrans) == first};
    };
    const Distribution& c = update.c.distribution;
    return {owners_of({side(a, true), MatrixSide{&c, true}}, ranks),
            owners_of({side(b, false), MatrixSide{&c, false}}, ranks),
            owners_of({side(a, false), side(b, true)}, ranks)};
}

}  // namespace gemmill
