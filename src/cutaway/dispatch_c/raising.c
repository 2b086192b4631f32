/* From the record that compiled code fills to an exception. */

#include "dispatch.h"

void raise_described(const cutaway_exc *exc)
{
    PyObject *exception = runtime->exception_of(exc);

    if (!exception)
        return;
    /* raised with the traceback that it brings */
    PyErr_SetObject(PyExceptionInstance_Class(exception), exception);
    Py_DECREF(exception);
}
