/* Globals of object mode: what a name leads to now, remembered until a namespace changes.

   Looking a name up in two dictionaries takes as long as a dozen other operations.  What was found
   is kept beside the environment, and is good as long as neither dictionary has changed: from Python
   3.12 on these tell (PyDict_Watch), before that they count their changes (PEP 509). */

#include "objects.h"

/* What a name led to, and when. */
typedef struct {
    PyObject *value; /* borrowed: it is in one of the dictionaries */
    uint64_t globals, builtins;
} known_global;

#if FREE_THREADED

/* The row could not be read while another thread writes it: nothing is remembered. */
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

static uint64_t changes = 1; /* of any dictionary that is watched */
static int watcher = -1;

static int note_change(PyDict_WatchEvent event, PyObject *dict, PyObject *key, PyObject *value)
{
    changes++;
    return 0;
}

/* Where no dictionary can be watched nothing is remembered. */
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
