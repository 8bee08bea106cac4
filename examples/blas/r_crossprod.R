# SPDX-License-Identifier: Apache-2.0
# gemmill run -- Rscript examples/blas/r_crossprod.R
set.seed(1)
a <- matrix(rnorm(2000 * 1000), 2000)
b <- matrix(rnorm(1000 * 1000), 1000)
c <- a %*% b         # dgemm_
g <- crossprod(a)    # dsyrk_
p <- rnorm(1000)
stopifnot(all.equal(c %*% p, a %*% (b %*% p)), all.equal(g %*% p, t(a) %*% (a %*% p)))
cat("2000 x 1000: right\n")
