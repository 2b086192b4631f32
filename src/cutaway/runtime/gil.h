/* The GIL around compiled code, and what the pool of threads does for the sake of Python. */

#ifndef CUTAWAY_GIL_H
#define CUTAWAY_GIL_H

#include "cutaway_runtime.h"

#pragma GCC visibility push(hidden)

int is_gil_released(void);

/* Connect the pool with Python, and add its functions to the module; -1 where that fails. */
int ready_threads(PyObject *module);

#pragma GCC visibility pop

#endif
