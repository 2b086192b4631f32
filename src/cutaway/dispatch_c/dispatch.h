/* What the files of the C dispatcher share.

   words.c           hash tables whose keys are strings of words
   fingerprints.c    what the type of a value depends on, as words
   codes.c           values to type codes
   selection.c       conversions between types, and which specialisation is the best
   descriptors.c     text to nodes, and how many slots a value takes
   unboxing.c        guards: does an argument fit, and into which slots
   boxing.c          slots to Python objects
   specialization.c  the type Specialization: compiled code and how it is called
   dispatcher.c      the type Dispatcher: the way of a call
   _dispatch.c       the module */

#ifndef CUTAWAY_DISPATCH_H
#define CUTAWAY_DISPATCH_H

#include "../runtime/cutaway_runtime.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL cutaway_dispatch_numpy
#define PY_UFUNC_UNIQUE_SYMBOL cutaway_dispatch_ufuncs
#ifndef CUTAWAY_DISPATCH_MODULE /* one file imports NumPy's functions for all */
#define NO_IMPORT_ARRAY
#define NO_IMPORT_UFUNC
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <numpy/ufuncobject.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/* One part of a descriptor.  A tuple's items follow it. */
typedef struct {
    char kind;            /* as in the descriptor; 'i' signed, 'u' unsigned */
    unsigned char bytes;  /* of a number */
    char layout;          /* of an array */
    unsigned char type;   /* NumPy's number of an array's type */
    unsigned char flags;  /* 1 read-only, 2 unaligned */
    int count;            /* dimensions, items of a tuple, or index of a constant */
} node;

/* On which way a call found its specialisation. */
enum { BY_GUARD, BY_CODES, BY_CONVERSION, BY_RESOLUTION, WAYS };

typedef struct {
    PyObject_HEAD
    cutaway_entry entry;
    Py_ssize_t nargs;
    int argument_slots, result_slots;
    node *arguments; /* the nodes of all arguments, one after the other */
    node *result;    /* behind them, in the same block */
    PyObject *constants;
    PyObject *keep_alive;
    int32_t *codes;  /* of the arguments' types; NULL where only guards are used */
    int nogil; /* whether other threads run meanwhile */
    int guards_decide; /* whether guards accept just the values that have the arguments' types */
    unsigned long long hits[WAYS];
    double seconds; /* that its compilation took */
} Specialization;

/* The arguments of a call, one for each parameter; one that is left out is NULL or beyond
   `count`.  With `star` there is one more, a tuple of `rest`, which is never made. */
typedef struct {
    PyObject *const *items, *const *rest;
    Py_ssize_t count, rest_count;
    int star;
} call_arguments;

extern PyTypeObject SpecializationType;
extern PyTypeObject DispatcherType;

/* The runtime's functions, and what makes an exception of a record; set by the module. */
extern cutaway_runtime_api *runtime;
extern PyObject *raise_hook;
extern PyObject *str_resolve;
extern PyObject *absent; /* stands for an argument that the caller left out */

/* NumPy's type number, with one number for int64 and uint64, of which it has two each. */
static inline int plain_type(int type)
{
    if (sizeof(npy_long) != sizeof(npy_longlong))
        return type;
    return type == NPY_LONGLONG ? NPY_LONG : type == NPY_ULONGLONG ? NPY_ULONG : type;
}

/* Whether two type numbers stand for the same numbers; b is a descriptor's, and so plain. */
static inline int same_type(int a, int b)
{
    return a == b || plain_type(a) == b;
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

/* Try one specialisation.  NULL with *fits 0: the arguments do not fit; with 1: it raised.  What
   it is counted as is one of the ways above. */
PyObject *try_call(Specialization *spec, const call_arguments *arguments, int lenient, int way,
                   int *fits);

/* Whether a specialisation's guards accept the arguments; -1 with an exception set. */
int guards_accept(const Specialization *spec, const call_arguments *arguments);

/* Whether the thread's stack is used up; then a RecursionError is set. */
int is_too_deep(void);

/* --- words.c: tables of words; the value 0 stands for none ------------------------------------ */

typedef struct {
    uint32_t *words;
    size_t length;
    uint32_t hash;
    intptr_t value;
} word_row;

typedef struct {
    word_row *rows;
    size_t rows_made, used;
    size_t limit; /* a table with so many rows is emptied before one more; 0: none */
} word_table;

intptr_t words_find(const word_table *table, const uint32_t *words, size_t length);
int words_set(word_table *table, const uint32_t *words, size_t length, intptr_t value);
void words_clear(word_table *table);

/* --- fingerprints.c ---------------------------------------------------------------------------- */

typedef struct {
    uint32_t *words;
    size_t length, room;
    uint32_t fixed[64];
} fingerprint;

void begin_fingerprint(fingerprint *f);
void end_fingerprint(fingerprint *f);

/* Add a value, or a tuple that was not made; 0 where there is no fingerprint of it. */
int put_value(fingerprint *f, PyObject *value, int depth);
int put_tuple_of(fingerprint *f, PyObject *const *items, Py_ssize_t count);

int register_class(PyObject *cls, PyObject *attributes);
int find_classes(void);

/* The object that a fingerprint names, borrowed; None where it is gone. */
PyObject *object_named(uint32_t name);

/* --- codes.c and selection.c ------------------------------------------------------------------- */

enum { EXACT, PROMOTION, SAFE, UNSAFE, NONE };

/* The code of a value's type, or of a tuple that was not made; 0 where it is not known. */
int32_t code_of(PyObject *value);
int32_t code_of_tuple(PyObject *const *items, Py_ssize_t count);
void find_scalar_classes(void);

/* How many specialisations serve a call best, and which where it is one, as a new reference; -1
   with an exception set. */
int select_best(PyObject *specializations, const int32_t *codes, Py_ssize_t count,
                int unsafe_allowed, Specialization **best);

extern PyMethodDef code_functions[], selection_functions[], stack_functions[];

#pragma GCC visibility pop

#endif
