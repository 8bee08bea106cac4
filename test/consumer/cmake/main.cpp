// SPDX-License-Identifier: Apache-2.0
// A foreign program in C++: a 2 x 2 product, and an error that crosses the library's border.
#include <iostream>
#include <string_view>

#include "gemmill/gemmill.hpp"

int main() {
    const double a[] = {1, 3, 2, 4}, b[] = {5, 7, 6, 8};
    double c[4] = {};
    using gemmill::Layout;
    using gemmill::Op;
    gemmill::gemm(Layout::ColMajor, Op::NoTrans, Op::NoTrans, 2, 2, 2, 1.0, a, 2, b, 2, 0.0, c, 2);
    if (c[0] != 19 || c[1] != 43 || c[2] != 22 || c[3] != 50) return 1;

    try {
        gemmill::gemm(Layout::ColMajor, Op::NoTrans, Op::NoTrans, 2, 2, 2, 1.0, a, 1, b, 2, 0.0, c,
                      2);
    } catch (const gemmill::Error& error) {
        std::cout << error.what() << '\n';
        return error.code() == gemmill::Code::bad_argument ? 0 : 2;
    }
    return 3;
}
