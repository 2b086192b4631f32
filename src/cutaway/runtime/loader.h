/* Loading of machine code (loader.c). */

#ifndef CUTAWAY_LOADER_H
#define CUTAWAY_LOADER_H

#include <Python.h>

/* load_object(object, exports, symbols); ValueError for an unsupported file. */
PyObject *load_object(PyObject *module, PyObject *args);

/* Ready the type of its results; -1 with an exception set. */
int ready_loader(void);

#endif
