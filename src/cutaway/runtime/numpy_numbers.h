/* NumPy's loops as functions of numbers. */

#ifndef CUTAWAY_NUMPY_NUMBERS_H
#define CUTAWAY_NUMPY_NUMBERS_H

#include "cutaway_runtime.h"

/* number_function(name, loop, lanes, is_masked): the address of a function of numbers, or of
   vectors of `lanes` numbers, that computes the same as a loop; None if there is none. */
PyObject *number_function(PyObject *module, PyObject *args);

#endif
