! SPDX-License-Identifier: Apache-2.0
! gfortran -O2 examples/blas/solve.f90 -llapack -lblas -o solve && gemmill run -- ./solve
program solve
    implicit none
    integer, parameter :: n = 1000
    double precision, allocatable :: a(:, :), f(:, :), b(:, :), x(:, :)
    integer :: pivots(n), info
    external :: dgesv, dgemm

    allocate (a(n, n), f(n, n), b(n, n), x(n, n))
    call random_number(a)
    call random_number(b)
    f = a
    x = b
    call dgesv(n, n, f, n, pivots, x, n, info)  ! LAPACK: most of it is dgemm_ and dtrsm_
    call dgemm('N', 'N', n, n, n, 1d0, a, n, x, n, -1d0, b, n)
    if (info /= 0 .or. maxval(abs(b)) > 1d-6) stop 1
    print '(a)', '1000 equations, 1000 right sides: right'
end program solve
