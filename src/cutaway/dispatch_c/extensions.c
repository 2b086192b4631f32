/* Values that generated code unboxes and boxes: those of types that extensions define, and of others
   where an extension says how.

   Unboxing may have to be undone after the call, by code that the extension writes as well.  So
   the unboxing function calls what comes next: the unboxing of the next argument, and in the end
   the compiled function. */

#include "dispatch.h"

static const extension *extension_of(const Specialization *spec, const node *n)
{
    return (const extension *)PyBytes_AS_STRING(PyTuple_GET_ITEM(spec->constants, n->type));
}

int is_extension(PyObject *constant, int result)
{
    extension e;

    if (!PyBytes_CheckExact(constant) || PyBytes_GET_SIZE(constant) != sizeof(e))
        return 0;
    memcpy(&e, PyBytes_AS_STRING(constant), sizeof(e));
    return result ? e.box != NULL : e.unbox != NULL;
}

int unbox_extension(const Specialization *spec, const node **next, PyObject *value,
                    int64_t *here, int64_t **slots, int how)
{
    return how & KNOWN || code_of(value) == extension_of(spec, *next - 1)->code;
}

PyObject *box_extension(Specialization *spec, const node **next, const int64_t *here,
                        const int64_t **slots)
{
    PyObject *value = extension_of(spec, *next - 1)->box(here);

    if (!value && !PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "an extension's boxing gave no object");
    return value;
}

/* --- unboxing, one value after the other ------------------------------------------------------- */

typedef struct {
    const extension *how;
    PyObject *value;
    int64_t *slots;
} boxed_value;

typedef struct {
    boxed_value *next, *end;
    int (*last)(void *context);
    void *context;
} chain;

static int collect(const Specialization *spec, const node *n, PyObject *value, int64_t *slots,
                   void *context)
{
    chain *c = context;

    if (n->kind == 'Z')
        *c->end++ = (boxed_value){extension_of(spec, n), value, slots};
    if (n->kind == 'P') /* has none inside */
        Py_DECREF(value);
    return 1;
}

static int unbox_next(void *context)
{
    chain *c = context;
    boxed_value *here = c->next++;
    int status;

    if (here == c->end)
        return c->last(c->context);
    status = here->how->unbox(here->value, here->slots, unbox_next, c);
    if (status < 0 && !PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "an extension cannot unbox a value of class %s",
                     Py_TYPE(here->value)->tp_name);
    return status;
}

int unbox_extensions(const Specialization *spec, const call_arguments *arguments, int64_t *slots,
                     int (*next)(void *context), void *context)
{
    boxed_value few[8], *values = few;
    chain c = {.last = next, .context = context};
    int status;

    if (spec->extensions > 8 &&
        !(values = PyMem_Malloc((size_t)spec->extensions * sizeof(boxed_value)))) {
        PyErr_NoMemory();
        return -1;
    }
    c.next = c.end = values;
    visit_values(spec, arguments, slots, collect, &c);
    status = unbox_next(&c);
    if (values != few)
        PyMem_Free(values);
    return status;
}

/* --- for generated code ------------------------------------------------------------------------ */

/* What boxes and unboxes values of other types in the code of extensions: a specialization that is
   never called, whose result says of what type, and which takes one argument of that type. */

static PyObject *box_value(Specialization *spec, const int64_t *slots)
{
    const node *n = spec->result;

    return box(spec, &n, &slots);
}

/* 0, or -1 where an exception is set.  The object has to be kept while the slots are used. */
static int unbox_value(Specialization *spec, PyObject *value, int64_t *slots)
{
    const node *n = spec->arguments;
    int fits;

    if (PyErr_Occurred()) /* what gave the object failed */
        return -1;
    fits = unbox(spec, &n, value, &slots, LENIENT | KNOWN);
    if (fits == 0)
        PyErr_Format(PyExc_TypeError, "a value of class %s cannot be unboxed as %S",
                     Py_TYPE(value)->tp_name, spec->keep_alive);
    return fits > 0 ? 0 : -1;
}

static PyObject *boxing_functions(PyObject *module, PyObject *unused)
{
    return Py_BuildValue("KKKKn", (unsigned long long)(uintptr_t)box_value,
                         (unsigned long long)(uintptr_t)unbox_value,
                         (unsigned long long)(uintptr_t)begin_exc,
                         (unsigned long long)(uintptr_t)raise_described,
                         (Py_ssize_t)sizeof(cutaway_exc));
}

PyMethodDef extension_functions[] = {
    {"boxing_functions", boxing_functions, METH_NOARGS,
     "boxing_functions() -> the addresses of box(spec, slots), unbox(spec, value, slots), begin(exc)"
     " and raise(exc), and the bytes of an exception's record."},
    {NULL, NULL, 0, NULL},
};
