/* The layout of NumPy's sources of random numbers, and their locks: see random_sources.h. */

#include "random_sources.h"

#include <string.h>

cutaway_runtime_api *cutaway_runtime;
source_layout source_layouts[2];
_Thread_local binomial_t last_binomial;

lock_layout source_locks;

/* --- one thread at a time -------------------------------------------------------------------- */

/* Acquire a lock.  This cannot fail: an exception of a signal handler is reported as unraisable. */
static void acquire(PyObject *lock)
{
    PyObject *done;

    while (!(done = PyObject_CallMethod(lock, "acquire", NULL)))
        PyErr_WriteUnraisable(lock);
    Py_DECREF(done);
}

static void release(PyObject *lock)
{
    PyObject *done = PyObject_CallMethod(lock, "release", NULL);

    if (!done)
        PyErr_WriteUnraisable(lock);
    Py_XDECREF(done);
}

void wait_for_turn(const source *from, turn *mine)
{
    PyObject *lock;

    if (cutaway_runtime->is_gil_released()) {
        mine->held = cutaway_runtime->hold_gil();
        mine->is_held = 1;
    }
    lock = lock_of(from);
    Py_INCREF(lock);
    if (FREE_THREADED) {
        acquire(lock);
        mine->lock = lock;
        return;
    }
    while (!is_free(lock)) {
        acquire(lock);
        release(lock);
        if (!source_locks.word) /* unknown layout; others acquire it with the GIL */
            break;
        if (*word_of(lock, source_locks.word)) /* this thread holds it */
            break;
    }
    Py_DECREF(lock);
}

void end_turn(turn *mine)
{
    release(mine->lock);
    Py_CLEAR(mine->lock);
}

/* Before many numbers are drawn: without the GIL if compiled code runs so. */
void begin_many(const source *from, turn *mine)
{
    if (from->stream || !cutaway_runtime->is_gil_released()) {
        mine->lock = NULL;
        begin_draw(from, mine);
        return;
    }
    mine->held = cutaway_runtime->hold_gil();
    mine->is_held = 0;
    mine->lock = lock_of(from);
    Py_INCREF(mine->lock);
    acquire(mine->lock);
    cutaway_runtime->end_hold(mine->held);
}

void end_many(turn *mine)
{
    if (!mine->lock || mine->is_held || !cutaway_runtime->is_gil_released()) {
        end_draw(mine);
        return;
    }
    mine->held = cutaway_runtime->hold_gil();
    release(mine->lock);
    Py_DECREF(mine->lock);
    cutaway_runtime->end_hold(mine->held);
}

/* --- detecting the layout of NumPy's objects ------------------------------------------------- */

static int64_t words_in(PyObject *object)
{
    return (int64_t)(Py_TYPE(object)->tp_basicsize / (Py_ssize_t)sizeof(int64_t));
}

#define WORDS(type) ((int64_t)(sizeof(type) / sizeof(int64_t)))
#define FIRST_WORD WORDS(PyObject)

/* The first position of some words in an object; 0: none. */
static int64_t place_of(PyObject *object, const void *words, int64_t count)
{
    for (int64_t k = FIRST_WORD; k + count <= words_in(object); k++)
        if (!memcmp(word_of(object, k), words, (size_t)count * sizeof(int64_t)))
            return k;
    return 0;
}

/* learn_layout(source, is_frozen, capsule, lock): find a copy of the capsule's bitgen_t, the lock,
   and in a RandomState the pointer to the copy. */
PyObject *learn_layout(PyObject *module, PyObject *args)
{
    PyObject *object, *capsule, *lock;
    source_layout found = {0}, *known;
    int is_frozen;
    bitgen_t *bits, *copy;

    if (!PyArg_ParseTuple(args, "OpOO", &object, &is_frozen, &capsule, &lock))
        return NULL;
    bits = PyCapsule_GetPointer(capsule, "BitGenerator");
    if (!bits)
        return NULL;
    known = &source_layouts[is_frozen];
    found.bits = place_of(object, bits, WORDS(bitgen_t));
    found.lock = place_of(object, &lock, 1);
    copy = (bitgen_t *)word_of(object, found.bits);
    if (is_frozen)
        found.state = place_of(object, &copy, 1);
    if (!found.bits || !found.lock || (is_frozen && !found.state) ||
        (found.state && found.state + WORDS(legacy_state) > words_in(object)))
        Py_RETURN_FALSE;
    if (known->bits && memcmp(known, &found, sizeof(found)))
        memset(known, 0, sizeof(*known)); /* the objects disagree: the layout is unknown */
    else
        *known = found;
    return PyBool_FromLong(known->bits != 0);
}

/* pending_normal(state) -> the second of a pair of normal numbers, or None, as it is read here. */
PyObject *pending_normal(PyObject *module, PyObject *object)
{
    source from = {object, &source_layouts[1], NULL};

    if (!source_layouts[1].state)
        Py_RETURN_NONE;
    if (!state_of(&from)->has_gauss)
        Py_RETURN_NONE;
    return PyFloat_FromDouble(state_of(&from)->gauss);
}

/* learn_lock(lock): find a word that is zero unless a lock of this class is held. */
PyObject *learn_lock(PyObject *module, PyObject *lock)
{
    int64_t free_words[16], count = words_in(lock), found = 0;

    if (count > 16)
        Py_RETURN_FALSE;
    memcpy(free_words, lock, (size_t)count * sizeof(int64_t));
    acquire(lock);
    for (int64_t k = FIRST_WORD; k < count && !found; k++)
        if (free_words[k] == 0 && *word_of(lock, k) != 0)
            found = k;
    release(lock);
    if (!found || *word_of(lock, found) != 0)
        Py_RETURN_FALSE;
    source_locks.word = found;
    source_locks.cls = Py_TYPE(lock);
    Py_INCREF(source_locks.cls);
    Py_RETURN_TRUE;
}
