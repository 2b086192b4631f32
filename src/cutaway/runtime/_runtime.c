/* The runtime library: memory of compiled code, and addresses of the functions that it may call. */

#include "cutaway_runtime.h"

#include <frameobject.h>

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#include "gil.h"
#include "half.h"
#include "lists.h"
#include "loader.h"
#include "memory.h"
#include "numeric.h"
#include "object_integers.h"
#include "objects.h"
#include "tables.h"
#include "threads.h"

/* --- memory ---------------------------------------------------------------------------------- */

static PyObject *tagged_object(void *owner)
{
    return (uintptr_t)owner & 1 ? (PyObject *)((uintptr_t)owner & ~(uintptr_t)1) : NULL;
}

static void count_object(PyObject *object, int more)
{
    cutaway_held held = cutaway_hold_gil();

    if (more)
        Py_INCREF(object);
    else
        Py_DECREF(object);
    cutaway_end_hold(held);
}

void cutaway_incref(void *owner)
{
    PyObject *object = tagged_object(owner);

    if (object)
        count_object(object, 1);
    else if (owner)
        __atomic_fetch_add(&((cutaway_meminfo *)owner)->references, 1, __ATOMIC_RELAXED);
}

/* Drop a reference: true for the last one.  No other thread can count while there is only one, and
   reading the count is faster than an atomic decrement. */
static int is_last_reference(cutaway_meminfo *memory)
{
    return __atomic_load_n(&memory->references, __ATOMIC_ACQUIRE) == 1 ||
           __atomic_sub_fetch(&memory->references, 1, __ATOMIC_ACQ_REL) == 0;
}

void cutaway_decref(void *owner)
{
    PyObject *object = tagged_object(owner);

    if (object)
        count_object(object, 0);
    else if (owner && is_last_reference(owner))
        cutaway_memory_release(owner);
}

int32_t cutaway_same_bytes(const char *first, const char *second, int64_t count)
{
    return memcmp(first, second, (size_t)count) == 0;
}

void cutaway_describe(cutaway_exc *exc, const char *table, int64_t index, int64_t first,
                      int64_t second, int64_t third, int64_t fourth)
{
    exc->table = table;
    exc->index = index;
    exc->payload[0] = first;
    exc->payload[1] = second;
    exc->payload[2] = third;
    exc->payload[3] = fourth;
}

void cutaway_frame(cutaway_exc *exc, const char *table, int64_t index)
{
    if (exc->frames < CUTAWAY_FRAMES) {
        exc->frame[exc->frames].table = table;
        exc->frame[exc->frames].index = index;
        exc->frames++;
    }
}

/* --- calls back into Python ------------------------------------------------------------------ */

static PyObject *call_hook;

int32_t cutaway_call_python(const char *table, int64_t index, const int64_t *values,
                            int64_t count)
{
    cutaway_held held = cutaway_hold_gil();
    PyObject *result = NULL;

    if (call_hook)
        result = PyObject_CallFunction(call_hook, "sLy#", table, (long long)index,
                                       (const char *)values,
                                       (Py_ssize_t)count * (Py_ssize_t)sizeof(int64_t));
    else
        PyErr_SetString(PyExc_SystemError, "no hook for calls of Python is set");
    if (result && result != Py_None) { /* an exception, with a traceback of its own */
        PyErr_SetObject((PyObject *)Py_TYPE(result), result);
        Py_CLEAR(result);
    }
    Py_XDECREF(result);
    cutaway_end_hold(held);
    return result ? 0 : 2;
}

static cutaway_block_runner *block_runner; /* set by the dispatcher's module */

int32_t cutaway_run_block(void *block, const int64_t *inputs, int64_t *outputs, void *handled)
{
    cutaway_held held = cutaway_hold_gil();
    PyObject *before = NULL;
    int32_t status;

    if (handled) { /* for `sys.exception`, and as the context of exceptions raised meanwhile */
        before = PyErr_GetHandledException();
        PyErr_SetHandledException((PyObject *)((uintptr_t)handled & ~(uintptr_t)1));
    }
    status = block_runner(block, inputs, outputs);
    if (handled) {
        PyErr_SetHandledException(before);
        Py_XDECREF(before);
    }
    cutaway_end_hold(held);
    return status;
}

static void set_block_runner(cutaway_block_runner *runner)
{
    block_runner = runner;
}

static PyObject *set_call_hook(PyObject *module, PyObject *hook)
{
    Py_INCREF(hook);
    Py_XSETREF(call_hook, hook);
    Py_RETURN_NONE;
}

/* --- loops of NumPy -------------------------------------------------------------------------- */

int32_t cutaway_numpy_failed(void)
{
    /* Only this thread writes the field, so there is no need to wait for the GIL. */
    PyThreadState *thread = PyGILState_GetThisThreadState();

    return thread && has_exception(thread) ? 2 : 0;
}

void cutaway_clear_float_flags(void)
{
    feclearexcept(FE_ALL_EXCEPT);
}

int32_t cutaway_numpy_flags(const cutaway_loop *loop, char **args, const int64_t *sizes,
                            const int64_t *steps)
{
    void (*function)(char **, const int64_t *, const int64_t *, void *) =
        (void (*)(char **, const int64_t *, const int64_t *, void *))loop->function;
    int raised;

    feclearexcept(FE_ALL_EXCEPT);
    function(args, sizes, steps, loop->data);
    raised = fetestexcept(FE_ALL_EXCEPT);
    return (raised & FE_DIVBYZERO ? 1 : 0) + (raised & FE_OVERFLOW ? 2 : 0) +
           (raised & FE_UNDERFLOW ? 4 : 0) + (raised & FE_INVALID ? 8 : 0);
}

/* --- tracebacks ------------------------------------------------------------------------------ */

/* An entry of a traceback, for a call without a frame of its own. */
PyObject *cutaway_traceback(PyCodeObject *code, int line, PyObject *chain)
{
    static PyObject *globals; /* of all such frames */
    PyObject *entry;
    PyFrameObject *frame;

    if (!SHARED(globals)) { /* two threads may create one each; the other is used once */
        if (!(entry = PyDict_New()))
            return NULL;
        SHARE(globals, entry);
    }
    frame = PyFrame_New(PyThreadState_Get(), code, SHARED(globals), NULL);
    if (!frame)
        return NULL;
    entry = PyObject_CallFunction((PyObject *)&PyTraceBack_Type, "OOii", chain, frame, 0, line);
    Py_DECREF(frame);
    return entry;
}

static PyObject *traceback(PyObject *module, PyObject *args)
{
    PyCodeObject *code;
    PyObject *chain;
    int line;

    if (!PyArg_ParseTuple(args, "O!iO", &PyCode_Type, &code, &line, &chain))
        return NULL;
    return cutaway_traceback(code, line, chain);
}

/* --- memory as a Python object, the base of arrays that leave compiled code ------------------ */

typedef struct {
    PyObject_HEAD
    cutaway_meminfo *memory;
} MemInfo;

static void meminfo_dealloc(MemInfo *self)
{
    cutaway_decref(self->memory);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* The number of references to the memory: of this object, of compiled arrays and of running
   code. */
static PyObject *meminfo_refcount(MemInfo *self, void *unused)
{
    return PyLong_FromLongLong(__atomic_load_n(&self->memory->references, __ATOMIC_RELAXED));
}

static PyGetSetDef meminfo_getset[] = {
    {"refcount", (getter)meminfo_refcount, NULL, "The number of references to the memory.", NULL},
    {NULL},
};

static PyTypeObject MemInfoType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.runtime._runtime.MemInfo",
    .tp_basicsize = sizeof(MemInfo),
    .tp_dealloc = (destructor)meminfo_dealloc,
    .tp_getset = meminfo_getset,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Memory that compiled code allocated; the base of an array that it returned.",
};

static PyObject *wrap(cutaway_meminfo *memory)
{
    MemInfo *self = PyObject_New(MemInfo, &MemInfoType);
    if (self)
        self->memory = memory; /* owned from here on */
    return (PyObject *)self;
}

static cutaway_runtime_api api = {cutaway_decref, wrap, cutaway_release_gil,
                                  cutaway_take_gil_back, cutaway_traceback, is_gil_released,
                                  cutaway_hold_gil, cutaway_end_hold, cutaway_raise,
                                  cutaway_close_generator,
                                  cutaway_generator_raised, cutaway_incref,
                                  set_block_runner, cutaway_list_new, cutaway_table_new,
                                  cutaway_table_put, cutaway_list_grow, cutaway_list_gap,
                                  cutaway_list_cut, cutaway_list_add, cutaway_list_reverse,
                                  cutaway_table_find, cutaway_table_remove, cutaway_table_clear,
                                  cutaway_table_copy};

/* --- the symbols of compiled code ------------------------------------------------------------ */

typedef struct {
    const char *name;
    void *address;
} symbol_row;

#define ROW(function) {#function, (void *)(function)}
#define BOTH(function) ROW(function), ROW(function##f)

static const symbol_row symbols[] = {
    ROW(cutaway_alloc), ROW(cutaway_alloc_zeroed), ROW(cutaway_incref), ROW(cutaway_decref),
    {"cutaway_least_work", &cutaway_least_work},
    ROW(cutaway_list_new), ROW(cutaway_list_reserve), ROW(cutaway_list_grow),
    ROW(cutaway_list_gap), ROW(cutaway_list_cut), ROW(cutaway_list_add),
    ROW(cutaway_list_reverse),
    ROW(cutaway_table_new), ROW(cutaway_table_find), ROW(cutaway_table_find_word),
    ROW(cutaway_table_find_further), ROW(cutaway_table_put_further),
    ROW(cutaway_table_put), ROW(cutaway_table_put_word), ROW(cutaway_table_remove),
    ROW(cutaway_table_clear), ROW(cutaway_table_next), ROW(cutaway_table_last),
    ROW(cutaway_table_copy), ROW(cutaway_table_reserve),
    ROW(cutaway_parts), ROW(cutaway_parallel), ROW(cutaway_do_scheduling), ROW(cutaway_thread_id),
    ROW(cutaway_thread_count), ROW(cutaway_set_thread_count), ROW(cutaway_most_threads),
    ROW(cutaway_chunk_size), ROW(cutaway_set_chunk_size),
    ROW(cutaway_describe), ROW(cutaway_frame), ROW(cutaway_catch), ROW(cutaway_reraise),
    ROW(cutaway_set_cause), ROW(cutaway_exception_text), ROW(cutaway_exception_part),
    ROW(cutaway_exception_number), ROW(cutaway_matches),
    ROW(cutaway_new_frame), ROW(cutaway_free_frame), ROW(cutaway_lend), ROW(cutaway_new_generator),
    ROW(cutaway_close_generator), ROW(cutaway_generator_raised),
    ROW(cutaway_call_python), ROW(cutaway_run_block), ROW(cutaway_assign),
    ROW(cutaway_text_length), ROW(cutaway_text_width), ROW(cutaway_text_copy),
    ROW(cutaway_text_foreign), ROW(cutaway_compare_texts), ROW(cutaway_text_part_width),
    ROW(cutaway_text_part), ROW(cutaway_text_hash), ROW(cutaway_text_find), ROW(cutaway_text_order),
    ROW(cutaway_text_character), ROW(cutaway_text_put), ROW(cutaway_hash_bytes),
    ROW(cutaway_same_bytes), ROW(cutaway_same_characters),
    ROW(cutaway_numpy_failed), ROW(cutaway_clear_float_flags),
    ROW(cutaway_numpy_flags), ROW(cutaway_numpy_stack), ROW(cutaway_numpy_dots),
    ROW(cutaway_fold_all), ROW(cutaway_memory_order),
    ROW(cutaway_round), ROW(cutaway_complex_pow),
    ROW(cutaway_math_fmod), ROW(cutaway_math_remainder), ROW(cutaway_math_pow),
    ROW(cutaway_math_gamma), ROW(cutaway_math_lgamma), ROW(cutaway_math_ldexp),
    ROW(cutaway_math_frexp_mantissa), ROW(cutaway_math_frexp_exponent), ROW(cutaway_math_ulp),
    ROW(cutaway_math_gcd), ROW(cutaway_math_lcm), ROW(cutaway_math_ipow),
    ROW(cutaway_math_ipow_overflows), ROW(cutaway_math_powmod), ROW(cutaway_math_isqrt),
    ROW(cutaway_math_comb), ROW(cutaway_math_perm), ROW(cutaway_math_hypot),
    ROW(cutaway_math_angle),
    ROW(cutaway_math_nextafter_steps), ROW(cutaway_math_round_signed),
    ROW(cutaway_math_round_unsigned), ROW(cutaway_math_round_single), ROW(cutaway_math_round_half),
    ROW(cutaway_norm), ROW(cutaway_operands_lie), ROW(cutaway_axis_order),
    ROW(cutaway_regroup),
    ROW(cutaway_gather), ROW(cutaway_scatter), ROW(cutaway_check_indices),
    ROW(cutaway_count_true), ROW(cutaway_true_places), ROW(cutaway_compress),
    ROW(cutaway_put_where),
    ROW(cutaway_fsum_add), ROW(cutaway_fsum_end), ROW(cutaway_dot_add),
    ROW(cutaway_dot_end), ROW(cutaway_math_inverse), ROW(cutaway_math_divide_signed),
    ROW(cutaway_math_divide_unsigned), ROW(cutaway_ratio),
    BOTH(sin), BOTH(cos), BOTH(tan), BOTH(asin), BOTH(acos), BOTH(atan), BOTH(atan2),
    BOTH(sinh), BOTH(cosh), BOTH(tanh), BOTH(asinh), BOTH(acosh), BOTH(atanh),
    BOTH(exp), BOTH(exp2), BOTH(expm1), BOTH(log), BOTH(log2), BOTH(log10), BOTH(log1p),
    BOTH(pow), BOTH(cbrt), BOTH(hypot), BOTH(fmod), BOTH(erf), BOTH(erfc), BOTH(nextafter),
    BOTH(floor), BOTH(ceil), BOTH(trunc), BOTH(rint), BOTH(round), BOTH(ldexp),
    ROW(sincos), ROW(memset), ROW(memcpy), ROW(memmove),
};

/* The functions that object mode calls: Python's and the runtime's, as listed in
   `lowering/objects/api.py`. */
static const symbol_row object_symbols[] = {
    ROW(cutaway_py_negative), ROW(PyNumber_Positive), ROW(PyNumber_Invert), ROW(cutaway_py_add),
    ROW(cutaway_py_subtract), ROW(cutaway_py_multiply), ROW(cutaway_py_divide),
    ROW(cutaway_py_floor_divide), ROW(cutaway_py_remainder), ROW(cutaway_py_power),
    ROW(cutaway_py_lshift), ROW(cutaway_py_rshift), ROW(cutaway_py_and), ROW(cutaway_py_or),
    ROW(cutaway_py_xor), ROW(PyNumber_MatrixMultiply), ROW(PyNumber_InPlaceMatrixMultiply),
    ROW(cutaway_py_inplace_add), ROW(cutaway_py_inplace_subtract),
    ROW(cutaway_py_inplace_multiply), ROW(cutaway_py_inplace_divide),
    ROW(cutaway_py_inplace_floor_divide), ROW(cutaway_py_inplace_remainder),
    ROW(cutaway_py_inplace_lshift), ROW(cutaway_py_inplace_rshift), ROW(cutaway_py_inplace_and),
    ROW(cutaway_py_inplace_or), ROW(cutaway_py_inplace_xor), ROW(cutaway_py_inplace_power),
    ROW(cutaway_py_append), ROW(cutaway_py_compare), ROW(cutaway_py_compares),
    ROW(PySequence_Contains), ROW(PyObject_IsTrue), ROW(cutaway_py_getitem),
    ROW(cutaway_py_setitem), ROW(PyObject_DelItem), ROW(cutaway_py_item), ROW(PyObject_GetIter),
    ROW(cutaway_py_loop), ROW(cutaway_py_next), ROW(cutaway_py_ended), ROW(cutaway_py_tuple), ROW(cutaway_py_list),
    ROW(cutaway_py_set), ROW(cutaway_py_dict), ROW(cutaway_py_string), ROW(cutaway_py_format),
    ROW(PySlice_New), ROW(cutaway_py_unpack), ROW(cutaway_py_unpack_star), ROW(PyList_Append),
    ROW(PySet_Add), ROW(cutaway_py_list_extend), ROW(cutaway_py_set_update),
    ROW(cutaway_py_dict_update), ROW(PyDict_SetItem), ROW(cutaway_py_dict_merge),
    ROW(cutaway_py_is_sequence), ROW(cutaway_py_is_mapping), ROW(cutaway_py_match_keys),
    ROW(cutaway_py_match_class), ROW(cutaway_py_global), ROW(cutaway_py_read_cell),
    ROW(cutaway_py_getattr), ROW(cutaway_py_delete_global), ROW(cutaway_py_delete_cell),
    ROW(cutaway_py_set_cell), ROW(cutaway_py_write_global), ROW(cutaway_py_setattr),
    ROW(cutaway_py_delattr),
    ROW(cutaway_py_unbound), ROW(cutaway_py_no_environment), ROW(cutaway_py_unbound_free), ROW(PyCell_New), ROW(PyCell_Get),
    ROW(cutaway_py_method), ROW(cutaway_py_call), ROW(cutaway_py_call_method),
    ROW(cutaway_py_call_star), ROW(cutaway_py_call_spread), ROW(cutaway_py_globals),
    ROW(cutaway_py_function),
    ROW(cutaway_py_import), ROW(cutaway_py_import_from), ROW(cutaway_py_failed), ROW(cutaway_py_generator), ROW(cutaway_py_delegate),
    ROW(cutaway_py_leave_handlers), ROW(cutaway_py_thrown), ROW(cutaway_py_enter_handlers),
    ROW(cutaway_py_caught), ROW(cutaway_py_end_handler), ROW(cutaway_py_matches),
    ROW(cutaway_py_raise), ROW(cutaway_py_reraise), ROW(cutaway_py_raise_current),
    ROW(cutaway_py_enter), ROW(cutaway_py_exit_with), ROW(cutaway_py_drop), ROW(cutaway_py_poll), ROW(cutaway_py_run_loop), ROW(cutaway_py_drop_all), ROW(cutaway_py_end),
    ROW(Py_IncRef), ROW(Py_DecRef),
};

/* Functions that LLVM may call although no module does: it forms these calls from loops,
   comparisons and intrinsics. */
static const symbol_row made_up[] = {
    BOTH(exp10), BOTH(fma), BOTH(nearbyint), BOTH(roundeven), ROW(sincosf),
    {"__extendhfsf2", (void *)cutaway_extend_half}, {"__truncsfhf2", (void *)cutaway_single_to_half},
    {"__truncdfhf2", (void *)cutaway_double_to_half},
    ROW(bcmp), ROW(memcmp), ROW(memcpy), ROW(memmove), ROW(memset), ROW(strlen), ROW(wcslen),
};

static PyObject *symbol_table(const symbol_row *rows, size_t count)
{
    PyObject *table = PyDict_New();

    for (size_t k = 0; table && k < count; k++) {
        PyObject *address = PyLong_FromVoidPtr(rows[k].address);
        if (!address || PyDict_SetItemString(table, rows[k].name, address) < 0)
            Py_CLEAR(table);
        Py_XDECREF(address);
    }
    return table;
}

static PyObject *stats(PyObject *module, PyObject *unused)
{
    int64_t allocated, released_ones;

    cutaway_memory_stats(&allocated, &released_ones);
    return Py_BuildValue("(LL)", (long long)allocated, (long long)released_ones);
}

/* Call a user's function from one that profilers do not see, so that they see the user's. */
static PyObject *seen(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyThreadState *thread = PyThreadState_Get();
    int unseen = thread->tracing > 0;
    PyObject *value;

    if (!count) {
        PyErr_SetString(PyExc_TypeError, "seen takes a callable and its arguments");
        return NULL;
    }
    if (unseen)
        PyThreadState_LeaveTracing(thread);
    value = PyObject_Vectorcall(args[0], args + 1, (size_t)count - 1, names);
    if (unseen)
        PyThreadState_EnterTracing(thread);
    return value;
}

/* The address of the characters, which are freed with the object. */
static PyObject *address_of_bytes(PyObject *module, PyObject *bytes)
{
    char *characters = PyBytes_AsString(bytes);

    return characters ? PyLong_FromVoidPtr(characters) : NULL;
}

static PyObject *release(PyObject *module, PyObject *owner)
{
    void *address = PyLong_AsVoidPtr(owner);

    if (PyErr_Occurred())
        return NULL;
    cutaway_decref(address);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"address_of_bytes", address_of_bytes, METH_O,
     "address_of_bytes(text): the address of its characters, valid while the object exists."},
    {"release", release, METH_O, "release(owner): drop a reference."},
    {"seen", (PyCFunction)(void (*)(void))seen, METH_FASTCALL | METH_KEYWORDS,
     "seen(callable, *args, **named): make a call that profilers see from code that they do not "
     "see."},
    {"set_raise_hook", set_raise_hook, METH_O,
     "set_raise_hook(hook): hook((table, index), payload, values, frames) returns the exception "
     "of a record of compiled code."},
    {"set_site_hook", set_site_hook, METH_O,
     "set_site_hook(hook): hook(table, index) returns (class, arguments, code, line) of a place "
     "that always raises the same exception, or of a call; for a place that compares classes, "
     "these."},
    {"forget_sites", forget_sites, METH_O,
     "forget_sites(table): discard the cached results for its places."},
    {"set_frames_hook", set_frames_hook, METH_O,
     "set_frames_hook(hook): hook(exception, frames) adds calls to the front of its traceback."},
    {"set_call_hook", set_call_hook, METH_O,
     "set_call_hook(hook): hook(table, index, values) performs a Python operation for compiled "
     "code."},
    {"traceback", traceback, METH_VARARGS,
     "traceback(code, line, chain): a traceback with a frame of the code in front of the chain, "
     "which may be None."},
    {"load_object", load_object, METH_VARARGS,
     "load_object(object, exports, symbols) -> memory with the code of an object file, and the "
     "addresses of its exports.  Raises ValueError for an unsupported object file."},
    {"set_frame_hook", set_frame_hook, METH_VARARGS,
     "set_frame_hook(hook, functions, builtins): hook(function, args, named) raises if one of "
     "these functions of builtins would look at the Python frame of its caller."},
    {"watch_namespaces", watch_namespaces, METH_VARARGS,
     "watch_namespaces(globals, builtins): detect changes of them from now on."},
    {"stats", stats, METH_NOARGS, "stats() -> (allocations, releases) of compiled code so far."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "cutaway.runtime._runtime",
    .m_doc = "Memory of compiled code, and the addresses of the functions that it may call.",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__runtime(void)
{
    PyObject *module;

    if (PyType_Ready(&MemInfoType) < 0 || ready_loader() < 0 || add_exceptions() < 0)
        return NULL;
    add_object_attributes();
    module = new_module(&module_definition);
    if (!module)
        return NULL;
    /* PyModule_Add takes over the reference. */
    if (PyModule_AddObject(module, "symbols", symbol_table(symbols, sizeof(symbols) / sizeof(*symbols))) <
            0 ||
        PyModule_AddObject(module, "object_symbols",
                           symbol_table(object_symbols,
                                        sizeof(object_symbols) / sizeof(*object_symbols))) < 0 ||
        PyModule_AddObject(module, "made_up", symbol_table(made_up, sizeof(made_up) / sizeof(*made_up))) <
            0 ||
        PyModule_AddObject(module, "api", PyCapsule_New(&api, CUTAWAY_RUNTIME_CAPSULE, NULL)) < 0 ||
        ready_threads(module) < 0 || add_generators(module) < 0 || add_object_generators(module) < 0 ||
        add_object_integers() < 0 || add_object_instances() < 0 || add_object_exceptions() < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
