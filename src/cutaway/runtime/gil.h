/* The GIL around compiled code, and the hooks of the thread pool that need Python. */

#ifndef CUTAWAY_GIL_H
#define CUTAWAY_GIL_H

#include "cutaway_runtime.h"

#pragma GCC visibility push(hidden)

int is_gil_released(void);

/* Set the hooks of the pool, and add its functions to the module; -1 on failure. */
int ready_threads(PyObject *module);

#pragma GCC visibility pop

#endif
