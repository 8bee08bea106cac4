! SPDX-License-Identifier: Apache-2.0
! An ordinary ScaLAPACK program. With libgemmill_scalapack in front of ScaLAPACK its pdgemm is ours:
!     mpirun -n 4 -x LD_PRELOAD=$(gemmill blas --scalapack) ./product
program product
  implicit none
  integer, parameter :: n = 500, nb = 32
  integer :: context, nprow, npcol, row, col, me, ranks, mloc, nloc, info
  integer :: desc(9)
  integer, external :: numroc
  double precision, allocatable :: a(:), b(:), c(:)

  call blacs_pinfo(me, ranks)
  nprow = int(sqrt(dble(ranks)))
  npcol = ranks / nprow
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, 'R', nprow, npcol)
  call blacs_gridinfo(context, nprow, npcol, row, col)
  if (row >= 0) then
    mloc = max(1, numroc(n, nb, row, 0, nprow))
    nloc = max(1, numroc(n, nb, col, 0, npcol))
    allocate(a(mloc * nloc), b(mloc * nloc), c(mloc * nloc))
    a = 1d0
    b = 2d0
    c = 3d0
    call descinit(desc, n, n, nb, nb, 0, 0, context, mloc, info)
    call pdgemm('N', 'T', n, n, n, 1d0, a, 1, 1, desc, b, 1, 1, desc, 1d0, c, 1, 1, desc)
    if (abs(c(1) - (3d0 + 2d0 * n)) > 1d-9) stop 1
    if (me == 0) print *, 'c(1) =', c(1)
    call blacs_gridexit(context)
  end if
  call blacs_exit(0)
end program product
