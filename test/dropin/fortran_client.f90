! SPDX-License-Identifier: Apache-2.0
! A Fortran program as they are: solves a system with LAPACK and multiplies with BLAS.
program client
    implicit none
    integer, parameter :: n = 300
    double precision :: a(n, n), b(n, n), x(n, n), r(n, n), f(n, n)
    complex(kind(0d0)) :: z(n, n), h(n, n)
    integer :: pivots(n), info, i, j
    external :: dgemm, dgesv, dsyrk, dtrsm, zherk

    do j = 1, n
        do i = 1, n
            a(i, j) = sin(dble(i * j)) + merge(20d0, 0d0, i == j)
            b(i, j) = cos(dble(i + 2 * j))
            z(i, j) = cmplx(a(i, j), b(i, j), kind(0d0))
        end do
    end do
    f = a
    x = b
    call dgesv(n, n, f, n, pivots, x, n, info)
    r = b
    call dgemm('N', 'N', n, n, n, 1d0, a, n, x, n, -1d0, r, n)
    print '(a, i0, a, l1)', 'solved ', info, ' ', maxval(abs(r)) < 1d-9
    call dsyrk('U', 'T', n, n, 1d0, b, n, 0d0, r, n)
    print '(a, es13.6)', 'syrk ', sum([(r(i, n), i = 1, n)])
    call dtrsm('L', 'U', 'N', 'N', n, n, 1d0, a, n, b, n)
    print '(a, es13.6)', 'trsm ', sum(b)
    h = 0
    call zherk('L', 'N', n, n, 1d0, z, n, 0d0, h, n)
    print '(a, 2es13.6)', 'herk ', sum(h)
end program client
