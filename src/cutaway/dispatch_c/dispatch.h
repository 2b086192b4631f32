/* What the files of the C dispatcher share.

   descriptors.c     text to nodes, and how many slots a value takes
   unboxing.c        guards: does an argument fit, and into which slots
   boxing.c          slots to Python objects
   numpy_kinds.c     both for NumPy's kinds beside numbers, and for opaque objects
   specialization.c  the type Specialization: compiled code and how it is called
   dispatcher.c      the type Dispatcher: a chain of them
   _dispatch.c       the module */

#ifndef CUTAWAY_DISPATCH_H
#define CUTAWAY_DISPATCH_H

#include "../runtime/cutaway_runtime.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL cutaway_dispatch_numpy
#ifndef CUTAWAY_DISPATCH_MODULE /* one file imports NumPy's functions for all */
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/* One part of a descriptor.  A tuple's items follow it. */
typedef struct {
    char kind;            /* as in the descriptor; 'i' signed, 'u' unsigned */
    unsigned char bytes;  /* of a number */
    char layout;          /* of an array */
    unsigned char type;   /* NumPy's number of an array's type, of 'G' the index of its dtype */
    unsigned char flags;  /* 1 read-only, 2 unaligned */
    int count;            /* dimensions, items of a tuple, or index of a constant */
} node;

typedef struct {
    PyObject_HEAD
    cutaway_entry entry;
    Py_ssize_t nargs;
    int argument_slots, result_slots;
    node *arguments; /* the nodes of all arguments, one after the other */
    node *result;    /* behind them, in the same block */
    PyObject *constants;
    PyObject *keep_alive;
    unsigned long long calls;
} Specialization;

extern PyTypeObject SpecializationType;
extern PyTypeObject DispatcherType;

/* The runtime's functions, and what makes an exception of a record; set by the module. */
extern cutaway_runtime_api *runtime;
extern PyObject *raise_hook;
extern PyObject *str_resolve;
extern PyObject *absent; /* stands for an argument that the caller left out */

/* Whether two of NumPy's type numbers stand for the same numbers: of int64 there are two. */
static inline int same_type(int a, int b)
{
    if (a == b)
        return 1;
    if (sizeof(npy_long) != sizeof(npy_longlong))
        return 0;
    return (a == NPY_LONGLONG && b == NPY_LONG) || (a == NPY_ULONGLONG && b == NPY_ULONG);
}

static inline void put_double(int64_t *slot, double number)
{
    memcpy(slot, &number, sizeof(number));
}

static inline double get_double(int64_t slot)
{
    double number;
    memcpy(&number, &slot, sizeof(number));
    return number;
}

/* Parse one descriptor behind *text into *nodes; -1 with an exception set. */
int parse_node(const unsigned char **text, const unsigned char *end, node **nodes, node *limit);

/* How many slots a value takes; *n is moved behind it. */
int count_slots(const node **n);

/* Put one argument's fields into slots; *next and *slots are moved behind it.  1: it fits; 0: it
   does not; -1: an exception is set.  `lenient` converts as explicit signatures allow. */
int unbox(const Specialization *spec, const node **next, PyObject *value, int64_t **slots,
          int lenient);

/* How many slots a value of a kind in numpy_kinds.c takes: D, V, X or Y. */
static inline int slots_of_other(char kind)
{
    return kind == 'V' ? 2 : kind != 'Y';
}

/* As unbox, box and box_array, for these kinds. */
int put_other(const Specialization *spec, const node *n, PyObject *value, int64_t **slots,
              int lenient);
PyObject *box_other(Specialization *spec, const node *n, const int64_t **slots);
PyObject *box_array(Specialization *spec, const node *n, const int64_t *slots);

/* Whether a dtype says of memory what another one says, whose byte order is native. */
int same_dtype(PyArray_Descr *known, PyArray_Descr *given);

/* The same for the dtype that a node refers to. */
int dtype_fits(const Specialization *spec, const node *n, PyArray_Descr *given);

/* A new reference to a dtype for a result. */
PyArray_Descr *dtype_to_give(const Specialization *spec, const node *n);

/* Whether the constant of a node of these kinds is one of the right class. */
int kind_fits_constant(const node *n, PyObject *constant);

/* A new object from slots; *next and *slots are moved behind it.  The slots' owners are taken
   over, also where that fails. */
PyObject *box(Specialization *spec, const node **next, const int64_t **slots);

/* Try one specialisation.  NULL with *fits 0: the arguments do not fit; with 1: it raised. */
PyObject *try_call(Specialization *spec, PyObject *const *args, Py_ssize_t given, int lenient,
                   int *fits);

#pragma GCC visibility pop

#endif
