/* Loading of machine code (loader.c). */

#ifndef CUTAWAY_LOADER_H
#define CUTAWAY_LOADER_H

#include <Python.h>

/* load_object(object, exports, symbols); ValueError for what it does not know. */
PyObject *load_object(PyObject *module, PyObject *args);

/* Make the type of its results ready; -1 with an exception set. */
int ready_loader(void);

#endif
