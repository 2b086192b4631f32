/* What the files of the C dispatcher share.

   descriptors.c     text to nodes, and how many slots a value takes
   unboxing.c        guards: does an argument fit, and into which slots
   buffers.c         str, bytes and what lends its memory: guards, exports, results
   boxing.c          slots to Python objects
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
    char layout;          /* of an array or a buffer */
    char letter;          /* the class of a buffer */
    unsigned char type;   /* NumPy's number of an array's type, a buffer's format */
    unsigned char flags;  /* 1 read-only, 2 unaligned */
    int count;            /* dimensions, items of a tuple, or index of a constant */
} node;

typedef struct {
    PyObject_HEAD
    cutaway_entry entry;
    Py_ssize_t nargs;
    int argument_slots, result_slots;
    int buffers;     /* how many exports a call may have to hold */
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

/* A new object from slots; *next and *slots are moved behind it.  The slots' owners are taken
   over, also where that fails. */
PyObject *box(Specialization *spec, const node **next, const int64_t **slots);

/* --- buffers.c --- */

int load_array_type(void); /* -1 with an exception set */
int is_buffer_descriptor(const node *n);
int put_text(PyObject *value, int64_t *slots);
int put_buffer(const node *n, PyObject *value, int64_t *slots);
PyObject *box_text(const int64_t *slots);
PyObject *box_buffer(const node *n, const int64_t *slots);

/* Hold the memory of all buffers among the arguments, which fit otherwise, and fill their slots.
   0 where one does not fit; *count of them are held in any case, and have to be released. */
int take_buffers(const Specialization *spec, PyObject *const *args, int64_t *slots,
                 Py_buffer *held, Py_ssize_t *count);
void release_buffers(Py_buffer *held, Py_ssize_t count);

/* Try one specialisation.  NULL with *fits 0: the arguments do not fit; with 1: it raised. */
PyObject *try_call(Specialization *spec, PyObject *const *args, Py_ssize_t given, int lenient,
                   int *fits);

#pragma GCC visibility pop

#endif
