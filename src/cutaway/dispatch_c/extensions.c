/* Values that generated code unboxes and boxes: those of types that extensions define, and of
   others if an extension defines it.

   Unboxing may have to be undone after the call, by code of the extension.  So the unboxing
   function calls its continuation: the unboxing of the next argument, and in the end the compiled
   function. */

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

/* Boxing and unboxing of values of other types in the code of extensions: by a specialization that
   is never called, whose result has the type, and which takes one argument of that type. */

static PyObject *box_value(Specialization *spec, const int64_t *slots)
{
    const node *n = spec->result;

    return box(spec, &n, &slots);
}

/* 0, or -1 with an exception set.  The object must be kept while the slots are used. */
static int unbox_value(Specialization *spec, PyObject *value, int64_t *slots)
{
    const node *n = spec->arguments;
    int fits;

    if (PyErr_Occurred()) /* the code that made the object failed */
        return -1;
    fits = unbox(spec, &n, value, &slots, LENIENT | KNOWN);
    if (fits == 0)
        PyErr_Format(PyExc_TypeError, "a value of class %s cannot be unboxed as %S",
                     Py_TYPE(value)->tp_name, spec->keep_alive);
    return fits > 0 ? 0 : -1;
}

/* The references of a function that boxes or unboxes: those that it was passed, has made and has
   counted, less those that it gave away.  The remaining ones are released after the call, so that
   an extension that counts as Numba's do leaks no memory, and one that does not count releases no
   reference that is not its own. */

enum { FEW = 6 };

typedef struct {
    int64_t *owners;
    Py_ssize_t count, room;
    int64_t few[FEW];
} pool;

static void begin_pool(pool *p)
{
    p->owners = p->few;
    p->count = 0;
    p->room = FEW;
}

/* Let the pool release a reference in the end. */
static void pool_takes(pool *p, int64_t owner)
{
    if (!owner)
        return;
    if (p->count == p->room) {
        Py_ssize_t room = 2 * p->room;
        int64_t *more = PyMem_Realloc(p->owners == p->few ? NULL : p->owners,
                                      (size_t)room * sizeof(int64_t));
        if (!more)
            return; /* the reference leaks, which is harmless */
        if (p->owners == p->few)
            memcpy(more, p->few, sizeof(p->few));
        p->owners = more;
        p->room = room;
    }
    p->owners[p->count++] = owner;
}

/* Take a reference out of the pool; whether it had one. */
static int pool_gives(pool *p, int64_t owner)
{
    for (Py_ssize_t k = p->count; k--;)
        if (p->owners[k] == owner) {
            p->owners[k] = p->owners[--p->count];
            return 1;
        }
    return 0;
}

static void pool_incref(pool *p, int64_t owner)
{
    runtime->incref((void *)(uintptr_t)owner);
    pool_takes(p, owner);
}

static void pool_decref(pool *p, int64_t owner)
{
    if (pool_gives(p, owner))
        runtime->decref((void *)(uintptr_t)owner);
}

/* Add a reference for a callee that takes one over. */
static void pool_hands_out(pool *p, int64_t owner)
{
    if (!pool_gives(p, owner))
        runtime->incref((void *)(uintptr_t)owner);
}

static void end_pool(pool *p)
{
    while (p->count)
        runtime->decref((void *)(uintptr_t)p->owners[--p->count]);
    if (p->owners != p->few)
        PyMem_Free(p->owners);
}

#define ADDRESS(function) (unsigned long long)(uintptr_t)(function)

static PyObject *boxing_functions(PyObject *module, PyObject *unused)
{
    return Py_BuildValue("KKKKn", ADDRESS(box_value), ADDRESS(unbox_value), ADDRESS(begin_exc),
                         ADDRESS(raise_described), (Py_ssize_t)sizeof(cutaway_exc));
}

static PyObject *pool_functions(PyObject *module, PyObject *unused)
{
    return Py_BuildValue("KKKKKKn", ADDRESS(begin_pool), ADDRESS(pool_takes),
                         ADDRESS(pool_incref), ADDRESS(pool_decref), ADDRESS(pool_hands_out),
                         ADDRESS(end_pool), (Py_ssize_t)sizeof(pool));
}

PyMethodDef extension_functions[] = {
    {"boxing_functions", boxing_functions, METH_NOARGS,
     "boxing_functions() -> the addresses of box(spec, slots), unbox(spec, value, slots), begin(exc)"
     " and raise(exc), and the bytes of an exception's record."},
    {"pool_functions", pool_functions, METH_NOARGS,
     "pool_functions() -> the addresses of begin, takes, incref, decref, hands_out and end of a pool of "
     "references, and its bytes."},
    {NULL, NULL, 0, NULL},
};
