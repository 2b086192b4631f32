/* Globals of object mode: the object of a name, cached until a namespace changes.

   A lookup in two dictionaries takes as long as a dozen other operations.  Its result is cached
   beside the environment, and is valid while neither dictionary has changed: from Python 3.12 on
   dictionaries notify of changes (PyDict_Watch), before that they count them (PEP 509). */

#include "objects.h"

/* The object of a name, and the versions for which it is valid. */
typedef struct {
    PyObject *value; /* borrowed: one of the dictionaries holds it */
    uint64_t globals, builtins;
} known_global;

#if FREE_THREADED

/* The row could not be read while another thread writes it: nothing is cached. */
static inline int is_good(const known_global *known, PyObject *const *env)
{
    return 0;
}

static inline void remember(known_global *known, PyObject *const *env, PyObject *value)
{
}

PyObject *watch_namespaces(PyObject *module, PyObject *args)
{
    Py_RETURN_NONE;
}

#elif HAS_DICT_WATCHERS

static uint64_t changes = 1; /* of any watched dictionary */
static int watcher = -1;

static int note_change(PyDict_WatchEvent event, PyObject *dict, PyObject *key, PyObject *value)
{
    changes++;
    return 0;
}

/* If no dictionary can be watched, nothing is cached. */
static inline int is_good(const known_global *known, PyObject *const *env)
{
    return known->globals == changes;
}

static inline void remember(known_global *known, PyObject *const *env, PyObject *value)
{
    known->value = value;
    known->globals = watcher >= 0 ? changes : 0;
}

PyObject *watch_namespaces(PyObject *module, PyObject *args)
{
    PyObject *globals, *builtins;

    if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &globals, &PyDict_Type, &builtins))
        return NULL;
    if (watcher < 0)
        watcher = PyDict_AddWatcher(note_change);
    if (watcher < 0 || PyDict_Watch(watcher, globals) < 0 || PyDict_Watch(watcher, builtins) < 0)
        PyErr_Clear();
    Py_RETURN_NONE;
}

#else

static inline uint64_t version(PyObject *dict)
{
    return ((PyDictObject *)dict)->ma_version_tag;
}

static inline int is_good(const known_global *known, PyObject *const *env)
{
    return known->globals == version(env[ENV_GLOBALS]) &&
           known->builtins == version(env[ENV_BUILTINS]);
}

static inline void remember(known_global *known, PyObject *const *env, PyObject *value)
{
    known->value = value;
    known->globals = version(env[ENV_GLOBALS]);
    known->builtins = version(env[ENV_BUILTINS]);
}

PyObject *watch_namespaces(PyObject *module, PyObject *args)
{
    Py_RETURN_NONE;
}

#endif

static __attribute__((noinline)) PyObject *looked_up(PyObject *const *env, PyObject *name, known_global *known)
{
    PyObject *value;
    int there = item_of(env[ENV_GLOBALS], name, &value);

    if (!there)
        there = item_of(env[ENV_BUILTINS], name, &value);
    if (there > 0)
        remember(known, env, value);
    if (!there)
        cutaway_py_no_name("name '%U' is not defined", name);
    return value;
}

PyObject *cutaway_py_global(PyObject *const *env, PyObject *name, int64_t place)
{
    known_global *known = (known_global *)((PyByteArrayObject *)env[ENV_KNOWN])->ob_start + place;

    if (__builtin_expect(is_good(known, env), 1))
        return one_more(known->value);
    return looked_up(env, name, known);
}
