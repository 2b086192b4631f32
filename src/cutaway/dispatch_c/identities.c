/* Numbers of classes and other objects, for fingerprints: each is assigned once, and never reused.
   The table holds weak references, where an object supports them. */

#include "dispatch.h"

#define MOST_KEPT 1024 /* objects kept alive because they do not support weak references */

typedef struct {
    PyObject *object;
    PyObject *reference; /* weak; NULL for an object that is kept alive */
    uint32_t name;
} identity_row;

/* Its users have the lock; references are dropped after unlocking, for that may run any code. */
static struct {
    identity_row *rows;
    size_t rows_made, used, kept;
    uint32_t last;
    thread_lock lock;
} identities;

/* The object looked up is alive, so it is the row's object unless the weak reference is dead. */
static int is_alive(const identity_row *row)
{
    return !row->reference || SHARED(((PyWeakReference *)row->reference)->wr_object) == row->object;
}

static identity_row *identity_of(PyObject *object)
{
    size_t mask = identities.rows_made - 1;
    size_t place = ((uintptr_t)object >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20 & mask;

    while (identities.rows[place].object && identities.rows[place].object != object)
        place = (place + 1) & mask;
    return &identities.rows[place];
}

/* Rows that were removed from the table. */
typedef struct {
    identity_row *rows;
    size_t count;
} gone_rows;

static void drop_rows(gone_rows *gone)
{
    for (size_t k = 0; k < gone->count; k++)
        if (gone->rows[k].object)
            Py_DECREF(gone->rows[k].reference ? gone->rows[k].reference : gone->rows[k].object);
    PyMem_Free(gone->rows);
}

/* Rebuild the table without dead objects, and without those that it alone keeps alive if they
   became too many. */
static int rebuild(gone_rows *gone)
{
    identity_row *old = identities.rows;
    size_t count = identities.rows_made, live = 0;
    int forget_kept = identities.kept >= MOST_KEPT;

    for (size_t k = 0; k < count; k++)
        live += old[k].object && is_alive(&old[k]);
    identities.rows_made = 64;
    while (identities.rows_made < 4 * live)
        identities.rows_made *= 2;
    identities.rows = PyMem_Calloc(identities.rows_made, sizeof(identity_row));
    if (!identities.rows) {
        identities.rows = old;
        identities.rows_made = count;
        return -1;
    }
    identities.used = identities.kept = 0;
    for (size_t k = 0; k < count; k++)
        if (old[k].object && is_alive(&old[k]) && (old[k].reference || !forget_kept)) {
            *identity_of(old[k].object) = old[k];
            identities.used++;
            identities.kept += !old[k].reference;
            old[k].object = NULL;
        }
    gone->rows = old;
    gone->count = count;
    return 0;
}

/* The number of an object that has one; else 0. */
static uint32_t known_name(PyObject *object)
{
    const identity_row *row = identities.rows_made ? identity_of(object) : NULL;

    return row && row->object && is_alive(row) ? row->name : 0;
}

/* Assign a number to an object, with a weak reference to it, or NULL: then it is kept alive.  The
   reference is taken over; *dropped receives one that is not needed any more. */
static uint32_t give_name(PyObject *object, PyObject *reference, PyObject **dropped,
                          gone_rows *gone)
{
    identity_row *row;

    *dropped = reference;
    if ((2 * (identities.used + 1) > identities.rows_made || identities.kept >= MOST_KEPT) &&
        rebuild(gone) < 0)
        return 0;
    row = identity_of(object);
    *dropped = row->object ? row->reference : NULL; /* dead, and another object has its address */
    identities.used += !row->object;
    row->object = object;
    row->reference = reference;
    if (!reference) {
        Py_INCREF(object);
        identities.kept++;
    }
    row->name = identities.last == UINT32_MAX ? 0 : ++identities.last;
    return row->name;
}

uint32_t name_of(PyObject *object)
{
    PyObject *reference, *dropped;
    gone_rows gone = {NULL, 0};
    uint32_t name;

    LOCK(identities.lock);
    name = known_name(object);
    UNLOCK(identities.lock);
    if (name)
        return name;
    dropped = reference = PyWeakref_NewRef(object, NULL);
    if (!reference)
        PyErr_Clear(); /* for instance of a dtype */
    LOCK(identities.lock);
    name = known_name(object); /* another thread may have assigned one */
    if (!name)
        name = give_name(object, reference, &dropped, &gone);
    UNLOCK(identities.lock);
    Py_XDECREF(dropped);
    drop_rows(&gone);
    return name;
}

/* The object of a row, as a new reference; NULL if it is gone. */
static PyObject *object_of(const identity_row *row)
{
#if FREE_THREADED
    PyObject *object = NULL;

    if (row->reference && PyWeakref_GetRef(row->reference, &object) < 0)
        PyErr_Clear();
    return row->reference ? object : Py_NewRef(row->object);
#else
    return is_alive(row) ? Py_NewRef(row->object) : NULL;
#endif
}

PyObject *object_named(uint32_t name)
{
    PyObject *found = NULL;

    LOCK(identities.lock);
    for (size_t k = 0; !found && k < identities.rows_made; k++)
        if (identities.rows[k].object && identities.rows[k].name == name)
            found = object_of(&identities.rows[k]);
    UNLOCK(identities.lock);
    return found ? found : Py_NewRef(Py_None);
}
