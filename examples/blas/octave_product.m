% SPDX-License-Identifier: Apache-2.0
% gemmill run -- octave-cli examples/blas/octave_product.m
rand("seed", 1);
a = rand(2000); b = rand(2000);
c = a * b;    % dgemm_
l = chol(a' * a + 2000 * eye(2000), "lower");  % dsyrk_, and LAPACK's own calls
x = l \ b;    % dtrsm_
p = rand(2000, 1);
assert(norm(c * p - a * (b * p)) < 1e-6);
assert(norm(l * x - b, "fro") < 1e-6);
disp("2000 x 2000: right")
