// SPDX-License-Identifier: Apache-2.0
// The C interface of distributed routines.
#include "api/c/c.hpp"

#include "gemmill/dist.h"
#include "mpi/state.hpp"

using namespace gemmill;
using gemmill::c::check_not_null;
using gemmill::c::flag;
using gemmill::c::guarded;

namespace {

Type type_named(char letter) {
    switch (letter | 0x20) {
        case 's':
            return Type::s;
        case 'd':
            return Type::d;
        case 'c':
            return Type::c;
        case 'z':
            return Type::z;
        default:
            throw Error(Code::bad_argument, std::string("type '") + letter + "'", "s, d, c or z");
    }
}

Scalar scalar_at(Type type, const void* address, const char* name) {
    check_not_null(address, name);
    return with_type(type, [&]<class T>() {
        if constexpr (is_short(type_of<T>))
            return Scalar{};
        else
            return to_scalar(*static_cast<const T*>(address));
    });
}

RankMatrix matrix_at(const Ranks& ranks, const gemmill_dist_matrix* x, const char* name) {
    check_not_null(x, name);
    BlockCyclic layout;
    layout.rows = x->rows, layout.cols = x->cols;
    layout.row_block = x->row_block, layout.col_block = x->col_block;
    layout.grid_rows = x->grid_rows, layout.grid_cols = x->grid_cols;
    layout.order = flag<RankOrder>(x->order);
    layout.row_source = x->row_source, layout.col_source = x->col_source;
    layout.first_row_block = x->first_row_block, layout.first_col_block = x->first_col_block;
    return rank_matrix(ranks, layout, {static_cast<std::byte*>(x->data)}, {x->ld},
                       {x->row, x->col, x->part_rows, x->part_cols});
}

Scalar real_part(Scalar x) { return {x.re, 0}; }

template <class Make>
gemmill_code run(MPI_Comm comm, Make&& make) {
    return guarded([&] {
        Ranks ranks(comm);
        run_call(
            ranks.state().transport, [&] { return make(ranks); }, setup_of(ranks));
    });
}

}  // namespace

gemmill_dist_matrix gemmill_dist_whole(int64_t rows, int64_t cols, int64_t block, int grid_rows,
                                       int grid_cols, void* data, int64_t ld) {
    return {rows, cols, block, block, grid_rows, grid_cols, 'R',  0,   0,
            0,    0,    data,  ld,    0,         0,         rows, cols};
}

int64_t gemmill_dist_local(int64_t size, int64_t block, int at, int parts) {
    try {
        return local_size(size, block, at, 0, parts);
    } catch (const Error&) {
        return 0;
    }
}

gemmill_code gemmill_dist_gemm(MPI_Comm comm, char type, char op_a, char op_b, const void* alpha,
                               const gemmill_dist_matrix* a, const gemmill_dist_matrix* b,
                               const void* beta, const gemmill_dist_matrix* c) {
    return run(comm, [&](const Ranks& ranks) {
        DistCall call;
        call.type = type_named(type);
        call.op_a = flag<Op>(op_a), call.op_b = flag<Op>(op_b);
        call.alpha = scalar_at(call.type, alpha, "alpha");
        call.beta = scalar_at(call.type, beta, "beta");
        call.a = matrix_at(ranks, a, "A"), call.b = matrix_at(ranks, b, "B");
        call.c = matrix_at(ranks, c, "C");
        return call;
    });
}

gemmill_code gemmill_dist_copy(MPI_Comm comm, char type, char op, const gemmill_dist_matrix* from,
                               const gemmill_dist_matrix* to) {
    return guarded([&] {
        Ranks ranks(comm);
        const auto make = [&] {
            return DistCopy{type_named(type), flag<Op>(op), matrix_at(ranks, from, "from"),
                            matrix_at(ranks, to, "to")};
        };
        run_copy(ranks.state().transport, make, setup_of(ranks));
    });
}

gemmill_code gemmill_dist_symm(MPI_Comm comm, char type, int hermitian, char side, char uplo,
                               const void* alpha, const gemmill_dist_matrix* a,
                               const gemmill_dist_matrix* b, const void* beta,
                               const gemmill_dist_matrix* c) {
    return run(comm, [&](const Ranks& ranks) {
        DistCall call;
        call.routine = hermitian != 0 ? Routine::hemm : Routine::symm;
        call.type = type_named(type);
        call.side = flag<Side>(side), call.uplo = flag<Uplo>(uplo);
        call.alpha = scalar_at(call.type, alpha, "alpha");
        call.beta = scalar_at(call.type, beta, "beta");
        call.a = matrix_at(ranks, a, "A"), call.b = matrix_at(ranks, b, "B");
        call.c = matrix_at(ranks, c, "C");
        return call;
    });
}

gemmill_code gemmill_dist_syrk(MPI_Comm comm, char type, int hermitian, char uplo, char op,
                               const void* alpha, const gemmill_dist_matrix* a,
                               const gemmill_dist_matrix* b, const void* beta,
                               const gemmill_dist_matrix* c) {
    return run(comm, [&](const Ranks& ranks) {
        DistCall call;
        const bool two = b != nullptr;
        if (hermitian != 0)
            call.routine = two ? Routine::her2k : Routine::herk;
        else
            call.routine = two ? Routine::syr2k : Routine::syrk;
        call.type = type_named(type);
        call.uplo = flag<Uplo>(uplo), call.op_a = flag<Op>(op);
        call.alpha = scalar_at(call.type, alpha, "alpha");
        call.beta = scalar_at(call.type, beta, "beta");
        if (call.routine == Routine::herk) call.alpha = real_part(call.alpha);
        if (hermitian != 0) call.beta = real_part(call.beta);
        call.a = matrix_at(ranks, a, "A"), call.b = two ? matrix_at(ranks, b, "B") : call.a;
        call.c = matrix_at(ranks, c, "C");
        return call;
    });
}

gemmill_code gemmill_dist_trmm(MPI_Comm comm, char type, int solves, char side, char uplo, char op,
                               char diag, const void* alpha, const gemmill_dist_matrix* a,
                               const gemmill_dist_matrix* b) {
    return run(comm, [&](const Ranks& ranks) {
        DistCall call;
        call.routine = solves != 0 ? Routine::trsm : Routine::trmm;
        call.type = type_named(type);
        call.side = flag<Side>(side), call.uplo = flag<Uplo>(uplo);
        call.op_a = flag<Op>(op), call.diag = flag<Diag>(diag);
        call.alpha = scalar_at(call.type, alpha, "alpha");
        call.a = matrix_at(ranks, a, "A"), call.c = matrix_at(ranks, b, "B");
        call.b = call.c;
        return call;
    });
}
