/* Names and calls of object mode: globals, cells, functions, methods, imports. */

#include "objects.h"

/* --- names ------------------------------------------------------------------------------------- */

/* Raise NameError with its `name`. */
void cutaway_py_no_name(const char *words, PyObject *name)
{
    PyObject *error;

    PyErr_Format(PyExc_NameError, words, name);
    error = cutaway_taken();
    if (PyErr_GivenExceptionMatches(error, PyExc_NameError) &&
        PyObject_SetAttrString(error, "name", name) < 0)
        PyErr_Clear();
    cutaway_set(error);
}

void cutaway_py_unbound(const char *words)
{
    PyErr_SetString(PyExc_UnboundLocalError, words);
}

void cutaway_py_no_environment(void)
{
    PyErr_SetString(PyExc_SystemError, "a function in object mode was called without an environment");
}

void cutaway_py_unbound_free(PyObject *name)
{
    cutaway_py_no_name("cannot access free variable '%U' where it is not associated with a value in "
            "enclosing scope",
            name);
}

int32_t cutaway_py_write_global(PyObject *const *env, PyObject *name, PyObject *value)
{
    return PyDict_SetItem(env[ENV_GLOBALS], name, value);
}

int32_t cutaway_py_delete_global(PyObject *const *env, PyObject *name)
{
    if (PyDict_DelItem(env[ENV_GLOBALS], name) == 0)
        return 0;
    if (PyErr_ExceptionMatches(PyExc_KeyError)) {
        PyErr_Clear();
        cutaway_py_no_name("name '%U' is not defined", name);
    }
    return -1;
}

PyObject *cutaway_py_read_cell(PyObject *cell, PyObject *name)
{
    PyObject *value = value_of_cell(cell);

    if (!value)
        cutaway_py_unbound_free(name);
    return value;
}

int32_t cutaway_py_set_cell(PyObject *cell, PyObject *value)
{
#if FREE_THREADED
    return PyCell_Set(cell, value);
#else
    PyObject *old = PyCell_GET(cell);

    PyCell_SET(cell, value ? one_more(value) : NULL);
    if (old)
        one_less(old);
    return 0;
#endif
}

int32_t cutaway_py_delete_cell(PyObject *cell, PyObject *name)
{
    if (PyCell_GET(cell))
        return PyCell_Set(cell, NULL);
    cutaway_py_unbound_free(name);
    return -1;
}

/* --- calls ------------------------------------------------------------------------------------- */

/* The name of a function in error messages. */
PyObject *cutaway_py_function_name(PyObject *function)
{
    PyObject *name = PyObject_GetAttrString(function, "__qualname__"), *module, *text;

    if (!name || !PyUnicode_Check(name)) {
        Py_XDECREF(name);
        PyErr_Clear();
        return PyObject_Str(function);
    }
    module = PyObject_GetAttrString(function, "__module__");
    if (!module)
        PyErr_Clear();
    if (module && PyUnicode_Check(module) && PyUnicode_CompareWithASCIIString(module, "builtins"))
        text = PyUnicode_FromFormat("%U.%U()", module, name);
    else
        text = PyUnicode_FromFormat("%U()", name);
    Py_XDECREF(module);
    Py_DECREF(name);
    return text;
}

/* The arguments of `*items`; NULL with an exception set. */
static PyObject *starred(PyObject *function, PyObject *items)
{
    PyObject *name;

    if (PyTuple_CheckExact(items))
        return Py_NewRef(items);
    if (Py_TYPE(items)->tp_iter || PySequence_Check(items))
        return PySequence_Tuple(items);
    if ((name = cutaway_py_function_name(function)))
        PyErr_Format(PyExc_TypeError, "%U argument after * must be an iterable, not %.200s", name,
                     Py_TYPE(items)->tp_name);
    Py_XDECREF(name);
    return NULL;
}

/* Call a C function directly, without the checks of the general call. */
static inline PyObject *call_c(PyMethodDef *method, PyObject *self, PyObject *const *args,
                               int64_t count, int *done)
{
    int how = method->ml_flags & (METH_VARARGS | METH_FASTCALL | METH_NOARGS | METH_O |
                                  METH_KEYWORDS | METH_METHOD);

    *done = 1;
    if (how == METH_O && count == 1)
        return method->ml_meth(self, args[0]);
    if (how == METH_FASTCALL)
        return ((PyObject * (*)(PyObject *, PyObject *const *, Py_ssize_t))(void (*)(void))
                    method->ml_meth)(self, args, (Py_ssize_t)count);
    if (how == METH_NOARGS && count == 0)
        return method->ml_meth(self, NULL);
    *done = 0;
    return NULL;
}

/* Builtins that look at the frame of their caller, which compiled code lacks: a hook raises. */
static PyObject *frame_hook, *frame_functions, *frame_module;

PyObject *set_frame_hook(PyObject *module, PyObject *args)
{
    PyObject *hook, *functions, *builtins;

    if (!PyArg_ParseTuple(args, "OO!O", &hook, &PyTuple_Type, &functions, &builtins))
        return NULL;
    Py_XSETREF(frame_hook, Py_NewRef(hook));
    Py_XSETREF(frame_functions, Py_NewRef(functions));
    Py_XSETREF(frame_module, Py_NewRef(builtins));
    Py_RETURN_NONE;
}

static inline int may_look(PyObject *function)
{
    if (!Py_IS_TYPE(function, &PyCFunction_Type))
        return function == (PyObject *)&PySuper_Type;
    if (((PyCFunctionObject *)function)->m_self != frame_module)
        return 0;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(frame_functions); k++)
        if (PyTuple_GET_ITEM(frame_functions, k) == function)
            return 1;
    return 0;
}

/* -1 with an exception set if the function looks at a frame when called with these arguments. */
static __attribute__((noinline)) int looks_at_frame(PyObject *function, PyObject *args,
                                                    PyObject *named)
{
    PyObject *done = NULL;

    if (args)
        done = PyObject_CallFunctionObjArgs(frame_hook, function, args, named, NULL);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* The same for arguments that are not a tuple yet. */
static __attribute__((noinline)) int looks_at_frame_so(PyObject *function, PyObject *const *args,
                                                       int64_t count, PyObject *names)
{
    Py_ssize_t plain = (Py_ssize_t)positional(count, names);
    PyObject *all = PyTuple_New(plain), *named = names ? PyDict_New() : NULL;
    int status = all && !(names && !named) ? 0 : -1;

    for (Py_ssize_t k = 0; status == 0 && k < plain; k++)
        PyTuple_SET_ITEM(all, k, Py_NewRef(args[k]));
    for (Py_ssize_t k = plain; status == 0 && k < count; k++)
        status = PyDict_SetItem(named, PyTuple_GET_ITEM(names, k - plain), args[k]);
    if (status == 0)
        status = looks_at_frame(function, all, named);
    Py_XDECREF(all);
    Py_XDECREF(named);
    return status;
}

/* `globals()`, unless the name leads to another function by now. */
PyObject *cutaway_py_globals(PyObject *const *env, PyObject *function)
{
    if (may_look(function) && function != (PyObject *)&PySuper_Type &&
        !strcmp(((PyCFunctionObject *)function)->m_ml->ml_name, "globals"))
        return Py_NewRef(env[ENV_GLOBALS]);
    return PyObject_CallNoArgs(function);
}

/* The most frequent kinds of functions and classes have a call path of their own. */
PyObject *cutaway_py_call(PyObject *function, PyObject **args, int64_t count, PyObject *names)
{
    size_t flagged = positional(count, names) | PY_VECTORCALL_ARGUMENTS_OFFSET;
    PyObject *value, *init;
    int done;

    if (Py_IS_TYPE(function, &PyFunction_Type))
        return ((PyFunctionObject *)function)->vectorcall(function, args, flagged, names);
    if (__builtin_expect(may_look(function), 0) &&
        looks_at_frame_so(function, args, count, names) < 0)
        return NULL;
    if (Py_IS_TYPE(function, &PyCFunction_Type) && !names) {
        PyCFunctionObject *known = (PyCFunctionObject *)function;
        PyObject *self = known->m_ml->ml_flags & METH_STATIC ? NULL : known->m_self;
        value = call_c(known->m_ml, self, args, count, &done);
        if (done)
            return value;
    }
    if (Py_IS_TYPE(function, &PyType_Type) && (init = cutaway_init_of((PyTypeObject *)function)))
        return cutaway_instance((PyTypeObject *)function, init, args, count, names);
    return PyObject_Vectorcall(function, args, flagged, names);
}

/* There is room for an object in front of the arguments, and for another in front of that. */
PyObject *cutaway_py_call_method(PyObject *function, PyObject *self, PyObject **args, int64_t count,
                                 PyObject *names)
{
    PyObject *value;
    int done;

    if (!self)
        return cutaway_py_call(function, args, count, names);
    if (Py_IS_TYPE(function, &PyMethodDescr_Type) && !names) {
        value = call_c(((PyMethodDescrObject *)function)->d_method, self, args, count, &done);
        if (done)
            return value;
    }
    args[-1] = self;
    return cutaway_py_call(function, args - 1, count + 1, names);
}

PyObject *cutaway_py_call_star(PyObject *function, PyObject *const *args, int64_t count,
                               PyObject *names, PyObject *star)
{
    Py_ssize_t plain = (Py_ssize_t)positional(count, names), more;
    PyObject *rest = starred(function, star), *all = NULL, *named = NULL, *result = NULL;

    more = rest ? PyTuple_GET_SIZE(rest) : 0;
    if (rest)
        all = plain ? PyTuple_New(plain + more) : Py_NewRef(rest); /* the callee may keep it */
    for (Py_ssize_t k = 0; all && all != rest && k < plain + more; k++)
        PyTuple_SET_ITEM(all, k, Py_NewRef(k < plain ? args[k] : PyTuple_GET_ITEM(rest, k - plain)));
    if (all && names && (named = PyDict_New()))
        for (Py_ssize_t k = 0; named && k < PyTuple_GET_SIZE(names); k++)
            if (PyDict_SetItem(named, PyTuple_GET_ITEM(names, k), args[plain + k]) < 0)
                Py_CLEAR(named);
    if (all && !(names && !named) &&
        (!may_look(function) || looks_at_frame(function, all, named) == 0))
        result = PyObject_Call(function, all, named);
    Py_XDECREF(rest);
    Py_XDECREF(all);
    Py_XDECREF(named);
    return result;
}

PyObject *cutaway_py_call_spread(PyObject *function, PyObject *items, PyObject *named)
{
    PyObject *tuple = starred(function, items), *result = NULL;

    if (!tuple)
        return NULL;
    if (!may_look(function) || looks_at_frame(function, tuple, named) == 0)
        result = PyObject_Call(function, tuple, PyDict_GET_SIZE(named) ? named : NULL);
    Py_DECREF(tuple);
    return result;
}

/* --- functions --------------------------------------------------------------------------------- */

/* A tuple of cells, where NULL stands for a cell that is to hold the function itself. */
static PyObject *closure_of(PyObject *const *cells, int64_t count, PyObject **own)
{
    PyObject *closure = PyTuple_New((Py_ssize_t)count);

    for (Py_ssize_t k = 0; closure && k < count; k++) {
        PyObject *cell = cells[k];
        if (!cell && !*own && !(*own = PyCell_New(NULL))) {
            Py_CLEAR(closure);
            break;
        }
        PyTuple_SET_ITEM(closure, k, Py_NewRef(cell ? cell : *own));
    }
    return closure;
}

static int give_defaults(PyObject *function, PyObject *const *defaults, int64_t count,
                         PyObject *names)
{
    Py_ssize_t plain = (Py_ssize_t)positional(count, names);
    PyObject *tuple = NULL, *named = NULL;
    int status = 0;

    if (plain) {
        tuple = PyTuple_New(plain);
        for (Py_ssize_t k = 0; tuple && k < plain; k++)
            PyTuple_SET_ITEM(tuple, k, Py_NewRef(defaults[k]));
        status = tuple ? PyFunction_SetDefaults(function, tuple) : -1;
    }
    if (status == 0 && names) {
        status = (named = PyDict_New()) ? 0 : -1;
        for (Py_ssize_t k = 0; status == 0 && k < PyTuple_GET_SIZE(names); k++)
            status = PyDict_SetItem(named, PyTuple_GET_ITEM(names, k), defaults[plain + k]);
        if (status == 0)
            status = PyFunction_SetKwDefaults(function, named);
    }
    Py_XDECREF(tuple);
    Py_XDECREF(named);
    return status;
}

PyObject *cutaway_py_function(PyObject *const *env, PyObject *code, PyObject *const *defaults,
                              int64_t count, PyObject *names, PyObject *const *cells,
                              int64_t cell_count)
{
    PyObject *function = PyFunction_New(code, env[ENV_GLOBALS]), *closure, *own = NULL;

    if (function && cell_count) {
        closure = closure_of(cells, cell_count, &own);
        if (!closure || PyFunction_SetClosure(function, closure) < 0)
            Py_CLEAR(function);
        Py_XDECREF(closure);
    }
    if (function && give_defaults(function, defaults, count, names) < 0)
        Py_CLEAR(function);
    if (function && own && PyCell_Set(own, function) < 0)
        Py_CLEAR(function);
    Py_XDECREF(own);
    return function;
}

void cutaway_py_drop(PyObject *object)
{
    Py_XDECREF(object);
}

void cutaway_py_drop_all(PyObject **objects, int64_t count)
{
    for (Py_ssize_t k = 0; k < count; k++)
        Py_CLEAR(objects[k]);
}

int32_t cutaway_py_poll(void)
{
    Py_BEGIN_ALLOW_THREADS
    Py_END_ALLOW_THREADS
    return PyErr_CheckSignals();
}

/* --- imports ----------------------------------------------------------------------------------- */

PyObject *cutaway_py_import(PyObject *const *env, PyObject *name, PyObject *names, PyObject *level)
{
    PyObject *load = NULL, *own = PyUnicode_InternFromString("__import__"), *module;

    if (own && item_of(env[ENV_BUILTINS], own, &load) == 0)
        PyErr_SetString(PyExc_ImportError, "__import__ not found");
    Py_XDECREF(own);
    if (!load)
        return NULL;
    module =
        PyObject_CallFunctionObjArgs(load, name, env[ENV_GLOBALS], Py_None, names, level, NULL);
    Py_DECREF(load);
    return module;
}

static PyObject *cannot_import(PyObject *module, PyObject *package, PyObject *name)
{
    PyObject *known = package ? Py_NewRef(package) : PyUnicode_FromString("<unknown module name>");
    PyObject *path = PyModule_Check(module) ? PyModule_GetFilenameObject(module) : NULL, *text;

    if (!path)
        PyErr_Clear();
    if (path)
        text = PyUnicode_FromFormat("cannot import name %R from %R (%S)", name, known, path);
    else
        text = PyUnicode_FromFormat("cannot import name %R from %R (unknown location)", name, known);
    if (text)
        PyErr_SetImportError(text, known, path);
#if HAS_NAME_FROM
    if (text) {
        PyObject *error = cutaway_taken();
        if (PyObject_SetAttrString(error, "name_from", name) < 0)
            PyErr_Clear();
        cutaway_set(error);
    }
#endif
    Py_XDECREF(text);
    Py_XDECREF(known);
    Py_XDECREF(path);
    return NULL;
}

PyObject *cutaway_py_import_from(PyObject *module, PyObject *name)
{
    PyObject *value = PyObject_GetAttr(module, name), *package, *full;

    if (value || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return value;
    /* a circular import: the module exists before its package has the attribute */
    PyErr_Clear();
    package = PyObject_GetAttrString(module, "__name__");
    if (package && !PyUnicode_Check(package))
        Py_CLEAR(package);
    PyErr_Clear();
    if (package && (full = PyUnicode_FromFormat("%U.%U", package, name))) {
        value = PyImport_GetModule(full);
        Py_DECREF(full);
    }
    if (!value && !PyErr_Occurred())
        cannot_import(module, package, name);
    Py_XDECREF(package);
    return value;
}
