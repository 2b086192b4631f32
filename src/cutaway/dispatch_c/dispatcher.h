/* Dispatchers, for the files that implement them: the struct, and the layout of arguments. */

#ifndef CUTAWAY_DISPATCHER_H
#define CUTAWAY_DISPATCHER_H

#include "dispatch.h"

#define HOT 4 /* specializations whose guards are tried first */

/* The action for arguments without a specialization: compile; use one of the written signatures,
   even with loss; use an existing one without loss; or compile once for objects of all kinds. */
enum { OPEN, WRITTEN, CLOSED, OBJECTS };

/* The positions of arguments in calls with these keywords, by parameter.  A call's keywords are a
   constant of the calling code, so they are identified by their address. */
#define MOST_ORDERED 12 /* parameters */
typedef struct {
    PyObject *kwnames;
    Py_ssize_t given; /* by position */
    unsigned char order[MOST_ORDERED];
} known_order;

#define KNOWN_ORDERS 4

/* Fields that calls read are read without a lock (`SHARED`).  A thread that changes the set of
   specializations, and the tables for finding them, has the lock.  Without the GIL a dropped
   specialization is kept, as a call may be about to enter it, until no thread is in a call of any
   dispatcher. */
typedef struct {
    DISPATCHER_HEAD
    PyObject *parameters;  /* names, a tuple of interned strings, without that of *args */
    Py_ssize_t positional; /* the number that can be passed by position */
    Py_ssize_t unnamed;    /* the number of those by position only */
    int star;              /* whether there is *args */
    int mode;
    int collects_rest, collects_named; /* in object mode: whether there are *args, **kwargs */
    Py_ssize_t plain;  /* this number of positional arguments is complete; -1: none is */
    Specialization *first; /* the hottest if a quick call may try it, else NULL */
    known_order *orders[KNOWN_ORDERS]; /* by hash; NULL where there is none */
    PyObject *defaults;       /* NULL, or a value for each parameter, `absent` if it has none */
    int32_t *omitted;         /* the code of each parameter's default, 0 while not known */
    char *literal;            /* NULL, or for each parameter whether its type is literal */
    PyObject *specializations; /* a list of them, in order of compilation */
    PyObject *kept; /* without the GIL a list of them and of dropped ones; else NULL */
    Specialization *hot[HOT]; /* some of them, the hottest first */
    int hot_count;
    int patience; /* the number that is tried: fewer, while calls find others */
    word_table choices; /* codes to a Specialization; bit 0 set if it converts */
    thread_lock lock;
} Dispatcher;

/* --- the layout of arguments ------------------------------------------------------------------- */

/* The index of the parameter with a keyword's name; -1 if there is none. */
static inline Py_ssize_t place_of(const Dispatcher *self, PyObject *name)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);

    for (Py_ssize_t place = self->unnamed; place < count; place++)
        if (PyTuple_GET_ITEM(self->parameters, place) == name)
            return place;
    for (Py_ssize_t place = self->unnamed; place < count; place++)
        if (PyUnicode_Compare(PyTuple_GET_ITEM(self->parameters, place), name) == 0)
            return place; /* the same text in another object */
    return -1;
}

/* Whether compiled code receives the values of defaults, which no type represents as omitted. */
static inline int gives_defaults(const Dispatcher *self)
{
    int mode = SHARED(self->mode);

    return mode == WRITTEN || mode == OBJECTS;
}

/* Assign arguments to parameters, those of *args separately; 0 if the call does not fit. */
static inline int lay_out(Dispatcher *self, PyObject *const *args, Py_ssize_t given, PyObject *kwnames,
                   PyObject **laid)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);
    Py_ssize_t first = Py_MIN(given, self->positional);

    for (Py_ssize_t k = 0; k < first; k++)
        laid[k] = args[k];
    for (Py_ssize_t k = first; k < count; k++)
        laid[k] = NULL;
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++) {
        Py_ssize_t place = place_of(self, PyTuple_GET_ITEM(kwnames, k));
        if (place < 0 || laid[place])
            return 0; /* unknown, or passed twice: the Python half reports it */
        laid[place] = args[given + k];
    }
    for (Py_ssize_t k = 0; gives_defaults(self) && self->defaults && k < count; k++)
        if (!laid[k]) /* the types of a default are those of a signature, which omits nothing */
            laid[k] = PyTuple_GET_ITEM(self->defaults, k);
    return 1;
}

/* Whether the arguments are in parameter order already. */
static inline int needs_no_layout(const Dispatcher *self, const call_arguments *arguments,
                                  PyObject *kwnames)
{
    if (kwnames && PyTuple_GET_SIZE(kwnames))
        return 0;
    return arguments->count == PyTuple_GET_SIZE(self->parameters) || !gives_defaults(self);
}

/* Split off the arguments beyond the positional parameters for *args; 0 if there is none. */
static inline int split_rest(const Dispatcher *self, PyObject *const *args, Py_ssize_t given,
                             call_arguments *arguments)
{
    arguments->items = args;
    arguments->count = given;
    arguments->star = self->star;
    arguments->defaults = self->defaults;
    if (given <= self->positional) {
        arguments->rest = NULL;
        arguments->rest_count = 0;
        return 1;
    }
    arguments->count = self->positional;
    arguments->rest = args + self->positional;
    arguments->rest_count = given - self->positional;
    return self->star;
}

/* The following is hidden, so that the compiler may inline it where it is defined. */
#pragma GCC visibility push(hidden)

/* --- dispatcher.c ------------------------------------------------------------------------------ */

/* The codes of the arguments' types, in order; 0 if one is not known. */
int codes_of(const Dispatcher *self, const call_arguments *arguments, int32_t *codes);

/* Store in the table a specialization for arguments of these types, if it is still one of the
   dispatcher's: 1, 0, or -1 with an exception set. */
int remember(Dispatcher *self, const int32_t *codes, Py_ssize_t count, Specialization *spec);

/* The choice of a closed dispatcher for the codes, as its table stores it; 0 if it is not unique,
   which the Python half will explain; -1 with an exception set. */
intptr_t choose(Dispatcher *self, const int32_t *codes, Py_ssize_t count);

/* Once and for all: running calls point into the tuple. */
int set_defaults(Dispatcher *self, PyObject *defaults);

/* Dropped specializations that are not in use, as a list for the holder of the lock to release
   after unlocking; NULL if there are none. */
PyObject *take_dropped(Dispatcher *self);

/* Drop all specializations.  Nothing refers to them when the first one is released. */
int forget_all(Dispatcher *self);

/* Whether a specialization is in a list; the caller has the lock. */
static inline int is_in(PyObject *list, const Specialization *spec)
{
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(list); k++)
        if (PyList_GET_ITEM(list, k) == (PyObject *)spec)
            return 1;
    return 0;
}

static inline int is_among(const Dispatcher *self, const Specialization *spec)
{
    return is_in(self->specializations, spec);
}

/* A call of any kind; and one with all arguments by position that the first hot specialization does
   not accept. */
PyObject *call_any(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *kwnames);
PyObject *call_past_first(Dispatcher *self, PyObject *const *args, Py_ssize_t given);

/* --- objects.c --------------------------------------------------------------------------------- */

/* Call a function in object mode that collects arguments; with *fits 0 the Python half has to
   resolve the call. */
PyObject *call_collecting(Dispatcher *self, PyObject *const *args, Py_ssize_t given,
                          PyObject *kwnames, int *fits);
PyObject *dispatcher_set_objects(Dispatcher *self, PyObject *args);

/* --- quick_calls.c ----------------------------------------------------------------------------- */

/* The function that CPython calls for a dispatcher with this number of plain parameters. */
vectorcallfunc way_for(Py_ssize_t parameters);

/* Update the specialization for quick calls, after `hot`, its count or `patience` has changed. */
void find_first(Dispatcher *self);

/* Store the order of a call with keywords that passes all parameters, if there is room for it. */
void learn_order(Dispatcher *self, Py_ssize_t given, PyObject *kwnames);
void forget_orders(Dispatcher *self);

/* --- dispatcher_methods.c ---------------------------------------------------------------------- */

extern PyMethodDef dispatcher_methods[];
extern PyGetSetDef dispatcher_getset[];

#pragma GCC visibility pop

#endif
