/* The loops that compiled code refers to. */

#ifndef CUTAWAY_LOOP_ADDRESS_H
#define CUTAWAY_LOOP_ADDRESS_H

#include "cutaway_runtime.h"

/* The address of a loop, as a Python integer. */
static PyObject *address_of_loop(void *function, void *data)
{
    cutaway_loop *loop = PyMem_RawMalloc(sizeof(cutaway_loop)); /* never freed: code refers to it */

    if (!loop)
        return PyErr_NoMemory();
    loop->function = function;
    loop->data = data;
    return PyLong_FromVoidPtr(loop);
}

#endif
