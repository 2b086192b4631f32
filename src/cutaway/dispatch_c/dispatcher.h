/* Dispatchers, for the files that are about them: what one is, and its arguments' places. */

#ifndef CUTAWAY_DISPATCHER_H
#define CUTAWAY_DISPATCHER_H

#include "dispatch.h"

#define HOT 4 /* specializations whose guards are tried first */

/* What a dispatcher does with arguments for which nothing was compiled: compile; use one of the
   written signatures, whatever is lost; use what there is, where nothing is lost; or compile once for
   objects of all kinds. */
enum { OPEN, WRITTEN, CLOSED, OBJECTS };

/* Where arguments of calls with these keywords are, seen from the parameters.  A call's keywords are a
   constant of the code that makes it, so they are known again by their address. */
#define MOST_ORDERED 12 /* parameters */
typedef struct {
    PyObject *kwnames;
    Py_ssize_t given; /* by position */
    unsigned char order[MOST_ORDERED];
} known_order;

#define KNOWN_ORDERS 4

/* What calls read is read without a lock (`SHARED`).  Who changes which specializations there are, and
   what leads to them, has the lock.  Without the GIL a specialization that is not among them any more
   is kept, as a call may be about to enter it, until no thread is in a call of any dispatcher. */
typedef struct {
    DISPATCHER_HEAD
    PyObject *parameters;  /* names, a tuple of interned strings; that of *args is not among them */
    Py_ssize_t positional; /* how many of them can be passed by position */
    Py_ssize_t unnamed;    /* how many of those by position only */
    int star;              /* whether there is *args */
    int mode;
    int collects_rest, collects_named; /* in object mode: whether there are *args, **kwargs */
    Py_ssize_t plain;  /* so many arguments by position are all; -1: no number is */
    Specialization *first; /* the hottest where a quick call may try it, else NULL */
    known_order *orders[KNOWN_ORDERS]; /* some, each at its place; NULL where there is none */
    PyObject *defaults;       /* NULL, or a value for each parameter, `absent` where there is none */
    int32_t *omitted;         /* the code of each parameter that is left out, 0 while not known */
    char *literal;            /* NULL, or for each parameter whether its value is its type */
    PyObject *specializations; /* a list of them, in the order they were made */
    PyObject *kept; /* without the GIL a list of them and of those that were dropped; else NULL */
    Specialization *hot[HOT]; /* some of them, the hottest first */
    int hot_count;
    int patience; /* how many of them are tried: fewer, while calls find others */
    word_table choices; /* codes to a Specialization; bit 0 set where it converts */
    thread_lock lock;
} Dispatcher;

/* --- arguments into their places --------------------------------------------------------------- */

/* The place of the parameter that a keyword names; -1 if there is none. */
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

/* Whether compiled code gets the values of defaults, and no type says that one is left out. */
static inline int gives_defaults(const Dispatcher *self)
{
    int mode = SHARED(self->mode);

    return mode == WRITTEN || mode == OBJECTS;
}

/* Put arguments into their places, those of *args aside; 0 where the call does not fit. */
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
            return 0; /* unknown, or given twice: the Python half says so */
        laid[place] = args[given + k];
    }
    for (Py_ssize_t k = 0; gives_defaults(self) && self->defaults && k < count; k++)
        if (!laid[k]) /* the types of a default are those of a signature, which omits nothing */
            laid[k] = PyTuple_GET_ITEM(self->defaults, k);
    return 1;
}

/* Whether the arguments are in their places as they come. */
static inline int needs_no_layout(const Dispatcher *self, const call_arguments *arguments,
                                  PyObject *kwnames)
{
    if (kwnames && PyTuple_GET_SIZE(kwnames))
        return 0;
    return arguments->count == PyTuple_GET_SIZE(self->parameters) || !gives_defaults(self);
}

/* The arguments beyond the positional parameters are those of *args; 0 if there is none. */
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

/* What follows is hidden, so that the compiler may put it in line where it is defined. */
#pragma GCC visibility push(hidden)

/* --- dispatcher.c ------------------------------------------------------------------------------ */

/* The codes of the arguments' types, one after the other; 0 where one is not known. */
int codes_of(const Dispatcher *self, const call_arguments *arguments, int32_t *codes);

/* Keep in the table what serves arguments of these types, if that is one of the dispatcher's: 1, 0, or
   -1 with an exception set. */
int remember(Dispatcher *self, const int32_t *codes, Py_ssize_t count, Specialization *spec);

/* What a closed dispatcher chooses for the codes, as its table keeps it; 0 where it is not one
   specialization, which the Python half will explain; -1 with an exception set. */
intptr_t choose(Dispatcher *self, const int32_t *codes, Py_ssize_t count);

/* Once and for all: calls under way point into the tuple. */
int set_defaults(Dispatcher *self, PyObject *defaults);

/* What was dropped and that nobody can be using, as a list for whoever has the lock to let go of when he
   has it no more; NULL where there is none. */
PyObject *take_dropped(Dispatcher *self);

/* Drop all specializations.  Nothing refers to them when the first one goes. */
int forget_all(Dispatcher *self);

/* Whether a specialization is one of a list, for who has the lock. */
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
   not take. */
PyObject *call_any(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *kwnames);
PyObject *call_past_first(Dispatcher *self, PyObject *const *args, Py_ssize_t given);

/* --- objects.c --------------------------------------------------------------------------------- */

/* A call in object mode of a function that collects arguments; with *fits 0 the Python half has to
   see to it. */
PyObject *call_collecting(Dispatcher *self, PyObject *const *args, Py_ssize_t given,
                          PyObject *kwnames, int *fits);
PyObject *dispatcher_set_objects(Dispatcher *self, PyObject *args);

/* --- quick_calls.c ----------------------------------------------------------------------------- */

/* What CPython is to call for a dispatcher of so many plain parameters. */
vectorcallfunc way_for(Py_ssize_t parameters);

/* Find what quick calls try, whenever `hot`, its count or `patience` has changed. */
void find_first(Dispatcher *self);

/* Keep the order of a call with keywords that gives all parameters, where there is room for it. */
void learn_order(Dispatcher *self, Py_ssize_t given, PyObject *kwnames);
void forget_orders(Dispatcher *self);

/* --- dispatcher_methods.c ---------------------------------------------------------------------- */

extern PyMethodDef dispatcher_methods[];
extern PyGetSetDef dispatcher_getset[];

#pragma GCC visibility pop

#endif
