// The one routine of LAPACK that the core uses, from the library that the caller has: the core brings none of its own.
#pragma once

namespace widemargin {

// Solves A X = B for a symmetric A of any signs: uplo, n, nrhs, A, lda, pivots, B, ldb, work, lwork, info.
using Dsysv = void (*)(char*, int*, int*, double*, int*, int*, double*, int*, double*, int*, int*);

}  // namespace widemargin
