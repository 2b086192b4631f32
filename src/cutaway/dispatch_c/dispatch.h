/* The common declarations of the C dispatcher.

   words.c           hash tables whose keys are strings of words
   identities.c      numbers of classes and other objects
   fingerprints.c    the facts that determine the type of a value, as words
   codes.c           values to type codes
   selection.c       conversions between types, and the best specialization
   kinds.c           the table of kinds of values: one row each
   descriptors.c     text to nodes, and the number of slots of a value
   unboxing.c        guards: whether an argument fits, and its slots
   quick_guards.c    the same for the usual argument of a usual type
   buffers.c         str, bytes and buffers: guards, exports, results
   extensions.c      values that generated code unboxes and boxes
   boxing.c          slots to Python objects
   containers.c      lists, sets and dicts: guards, and copies of arguments
   container_results.c   what is written back after a call, and results
   native.c          native containers: layouts, guards, results
   native_lists.c    those of lists, for Python
   native_tables.c   those of dicts and sets
   generators.c      `next` of a generator
   numpy_kinds.c     both for NumPy's kinds besides numbers, and for opaque objects
   specialization.c  the type Specialization: compiled code and its calls
   thread_lines.c    without the GIL: counts of threads' calls, and whether one is in a call
   dispatcher.c      the type Dispatcher: the path of a call
   objects.c         calls in object mode
   blocks.c          blocks of compiled functions that run as Python
   quick_calls.c     the path of nearly all calls
   attributes.c      attributes of a Python function: access, binding, copies
   profiling.c       calls that profilers and tracers see
   ufuncs.c          NumPy's ufuncs whose loops are specializations
   core_loops.c      the inner loops of those over parts of arrays
   growing_ufuncs.c  the callable in front of one that gains loops
   _dispatch.c       the module */

#ifndef CUTAWAY_DISPATCH_H
#define CUTAWAY_DISPATCH_H

#include "../runtime/compat.h"
#include "../runtime/cutaway_runtime.h"
#include "../runtime/half.h"
#include "words.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL cutaway_dispatch_numpy
#define PY_UFUNC_UNIQUE_SYMBOL cutaway_dispatch_ufuncs
#ifndef CUTAWAY_DISPATCH_MODULE /* one file imports NumPy's API for all */
#define NO_IMPORT_ARRAY
#define NO_IMPORT_UFUNC
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <numpy/ufuncobject.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/* One part of a descriptor.  Its items, if any, follow it. */
typedef struct {
    char kind;            /* as in the descriptor; 'i' signed, 'u' unsigned */
    unsigned char bytes;  /* of a number; of 'P' the index of the names */
    char layout;          /* of an array or a buffer */
    char letter;          /* the class of a buffer */
    unsigned char type;   /* NumPy's number of an array's type, of 'G' the index of its dtype, a
                             buffer's format, of a native container the index of its layout */
    unsigned char flags;  /* 1 read-only, 2 unaligned; of a container those in containers.h */
    int count;            /* dimensions, items, bounds of a slice, slots of 'Z', or index of a
                             constant */
} node;

/* The ways in which a call found its specialization. */
enum { BY_GUARD, BY_CODES, BY_CONVERSION, BY_RESOLUTION, WAYS };

enum { LAUNCHED = 2 }; /* code that runs on a GPU */

typedef struct {
    PyObject_HEAD
    cutaway_entry entry;
    Py_ssize_t nargs;
    int argument_slots, result_slots;
    int makes_containers; /* whether there are some in its result */
    int held;        /* the most values that a call has to hold */
    int natives;     /* the number of native containers among the arguments, and in them */
    int extensions;  /* the number of arguments that generated code unboxes */
    node *arguments; /* the nodes of all arguments, in order */
    node *result;    /* after them, in the same block */
    struct quick_guard *quick; /* of each argument; NULL if a call needs more than guards */
    PyObject *constants;
    PyObject *keep_alive;
    int32_t *codes;  /* of the arguments' types; NULL if only guards are used */
    int nogil; /* whether the GIL is released; LAUNCHED: `entry` is a cutaway_launcher */
    int guards_decide; /* whether guards accept exactly the values of the arguments' types */
#if FREE_THREADED
    struct call_counts *counts; /* of each thread, which writes its own */
#else
    unsigned long long hits[WAYS];
#endif
    double seconds; /* of its compilation */
    PyObject *signature; /* for users, made on demand; else NULL */
    char objectmode;     /* for users, too: whether it runs with Python objects */
} Specialization;

/* The arguments of a call, one for each parameter; an omitted one is NULL or beyond `count`; if it
   is converted, `defaults` (may be NULL) has its value.  With `star` there is one more, a tuple of
   `rest`, which is never made. */
typedef struct {
    PyObject *const *items, *const *rest;
    Py_ssize_t count, rest_count;
    int star;
    PyObject *defaults;
} call_arguments;

/* The fields of a dispatcher that all files may use: its struct begins with these. */
#define DISPATCHER_HEAD                                                                    \
    PyObject_HEAD                                                                          \
    vectorcallfunc vectorcall;                                                             \
    PyObject *half;       /* the Python half */                                            \
    PyObject *dict;       /* attributes that users set; NULL before the first */           \
    PyObject *trampoline; /* the Python function that profilers see; NULL before the first */ \
    PyObject *weakrefs;

typedef struct {
    DISPATCHER_HEAD
} dispatcher_head;

extern PyTypeObject SpecializationType;
extern PyTypeObject DispatcherType;
extern PyTypeObject LoopTableType, GrowingType, BlockType;
extern PyTypeObject LayoutType, NativeListType, NativeDictType, NativeSetType, NativeIteratorType;

/* The runtime's functions, and the one that makes an exception from a record; set by the module. */
extern cutaway_runtime_api *runtime;
extern PyObject *str_resolve;
extern PyObject *absent; /* stands for an omitted argument */

/* NumPy's type number, with one number for int64 and uint64, of which it has two each. */
static inline int plain_type(int type)
{
    if (sizeof(npy_long) != sizeof(npy_longlong))
        return type;
    return type == NPY_LONGLONG ? NPY_LONG : type == NPY_ULONGLONG ? NPY_ULONG : type;
}

/* Whether two type numbers are equivalent; b is a descriptor's, and so plain. */
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

/* Parse one descriptor from *text on into *nodes; -1 with an exception set. */
int parse_node(const unsigned char **text, const unsigned char *end, node **nodes, node *limit);

/* Count the slots of a value; moves *n past it. */
int count_slots(const node **n);

/* --- kinds.c: the properties of each kind of values -------------------------------------------- */

/* Put an argument's fields into slots.  The argument's own node is in front of *next, its own slots
   begin at `here`; a kind of values with others in them moves *next and *slots past those. 1: it
   fits; 0: it does not; -1: an exception is set.  `how` is of these bits: LENIENT converts as
   explicit signatures allow, KNOWN means that the types of values for generated code were
   checked. */
enum { LENIENT = 1, KNOWN = 2 };
typedef int unboxer(const Specialization *spec, const node **next, PyObject *value, int64_t *here,
                    int64_t **slots, int how);

/* Make a new object from a result.  It takes over the slots' owners, even if it fails. */
typedef PyObject *boxer(Specialization *spec, const node **next, const int64_t *here,
                        const int64_t **slots);

/* Values inside of a value: this number, all up to a bracket, or one or two whose slots lie
   elsewhere. */
enum { ONE = 1, TWO, ITEMS, ELSEWHERE, TWO_ELSEWHERE };

typedef struct {
    unsigned char bytes;       /* of the descriptor, after the letter */
    unsigned char slots, each; /* of a value itself: constant, and for each of `count` */
    unsigned char inside;
    int (*read)(node *n, const unsigned char *text); /* parses those bytes; 0: they are invalid, -1:
                                                        an exception is set; NULL: there are none */
    int (*refers)(const node *n, PyObject *constants, int result); /* whether they exist, or NULL */
    unboxer *unbox; /* NULL: no argument fits */
    boxer *box;     /* NULL: there are no such results */
} value_kind;

extern const value_kind kinds[128]; /* by letter */

static inline const value_kind *kind_of(const node *n)
{
    return &kinds[(unsigned char)n->kind & 127];
}

/* Put one argument's fields into slots; moves *next and *slots past it. */
static inline int unbox(const Specialization *spec, const node **next, PyObject *value,
                        int64_t **slots, int how)
{
    const node *n = (*next)++;
    const value_kind *kind = kind_of(n);
    int64_t *here = *slots;

    *slots += kind->slots + kind->each * n->count;
    return kind->unbox ? kind->unbox(spec, next, value, here, slots, how) : 0;
}

unboxer unbox_boolean, unbox_integer, unbox_real, unbox_complex, unbox_none, unbox_range;
unboxer unbox_same, unbox_literal, unbox_slice, unbox_choice, unbox_optional, unbox_items;
unboxer unbox_composite, unbox_array, unbox_string, unbox_buffer, unbox_extension, unbox_time;
unboxer unbox_list, unbox_set, unbox_dict, unbox_record, unbox_dtype, unbox_opaque, unbox_generator, unbox_object;
boxer box_boolean, box_signed, box_unsigned, box_real, box_complex, box_none, box_range;
boxer box_constant, box_slice, box_choice, box_optional, box_items, box_composite, box_any_array;
boxer box_any_string, box_any_buffer, box_extension, box_time, box_record, box_dtype, box_opaque;
boxer box_generator, box_object, box_list, box_table;

/* An attribute of a value of kind 'P', as a new reference; NULL if it has none. */
PyObject *get_member(const Specialization *spec, const node *n, PyObject *value, int place);

PyObject *box_array(Specialization *spec, const node *n, const int64_t *slots);

int find_range_fields(void); /* -1 with an exception set */

/* The integers that Python caches; the module gets them when it is loaded. */
enum { LOWEST_KEPT = -5, KEPT_INTEGERS = 262 };
extern PyObject *kept_integers[KEPT_INTEGERS];
int find_kept_integers(void); /* -1 with an exception set */

static inline PyObject *integer_from(int64_t number)
{
    uint64_t place = (uint64_t)number - LOWEST_KEPT;

    if (place >= KEPT_INTEGERS)
        return PyLong_FromLongLong(number);
    Py_INCREF(kept_integers[place]);
    return kept_integers[place];
}

/* Whether two dtypes describe memory alike; the byte order of `given` is native. */
int same_dtype(PyArray_Descr *known, PyArray_Descr *given);

/* The same for the dtype that a node refers to. */
int dtype_fits(const Specialization *spec, const node *n, PyArray_Descr *given);

/* A new reference to a dtype for a result. */
PyArray_Descr *dtype_to_give(const Specialization *spec, const node *n);

/* Unbox the usual argument of the usual type inline; 0 if `unbox` has to. */
static inline int unbox_quickly(const node *n, PyObject *value, int64_t *slot)
{
    if (n->bytes != 8)
        return 0;
    if (n->kind == 'i')
        return PyLong_CheckExact(value) && small_integer(value, slot);
    if (n->kind != 'f' || !PyFloat_CheckExact(value))
        return 0;
    put_double(slot, PyFloat_AS_DOUBLE(value));
    return 1;
}

/* `unbox`, with the usual arguments of the usual types inline. */
static inline int unbox_item(const Specialization *spec, const node **next, PyObject *value,
                             int64_t **slots, int lenient)
{
    if (!unbox_quickly(*next, value, *slots))
        return unbox(spec, next, value, slots, lenient);
    (*next)++;
    (*slots)++;
    return 1;
}

/* Make an object from slots; moves *next and *slots past it.  It takes over the slots' owners, even
   if it fails. */
static inline PyObject *box(Specialization *spec, const node **next, const int64_t **slots)
{
    const node *n = (*next)++;
    const value_kind *kind = kind_of(n);
    const int64_t *here = *slots;

    *slots += kind->slots + kind->each * n->count;
    if (kind->box)
        return kind->box(spec, next, here, slots);
    PyErr_SetString(PyExc_SystemError, "a result that cannot be boxed");
    return NULL;
}

/* `box`, with the usual results inline. */
static inline PyObject *box_item(Specialization *spec, const node **next, const int64_t **slots)
{
    const node *n = *next;

    if (n->kind != 'i' && (n->kind != 'f' || n->bytes != 8))
        return box(spec, next, slots);
    (*next)++;
    (*slots)++;
    return n->kind == 'i' ? integer_from((*slots)[-1]) : PyFloat_FromDouble(get_double((*slots)[-1]));
}

/* --- buffers.c --------------------------------------------------------------------------------- */

extern PyTypeObject *array_type; /* array.array, once it is needed */
int load_array_type(void);       /* -1 with an exception set */
int is_buffer_descriptor(const node *n);

/* A value that a call holds for its arguments: a buffer's memory, or a member of a composite. */
typedef struct {
    Py_buffer view;
    PyObject *member; /* NULL: a buffer */
} held_value;

/* --- containers.c ----------------------------------------------------------------------------------- */

/* A list that a call has copied: Python's, the owner of the copy, and its descriptor. */
typedef struct {
    PyObject *value;
    void *owner;
    const node *node;
} list_copy;

/* All of them; `index` finds the row of a list where there are more than a few. */
typedef struct {
    list_copy *rows, few[4];
    size_t count, room, *index, places;
    int failed; /* there was no memory */
    const int64_t *result; /* the slots of the call's result */
} list_copies;

/* The copies of the call that this thread is in, and of the one whose containers it makes objects. */
extern _Thread_local list_copies *holding_copies, *boxing_copies;

void begin_copies(list_copies *copies);
PyObject *box_with_copies(Specialization *spec, const int64_t *result);
int note_copy(list_copies *copies, PyObject *value, void *owner, const node *n);
int hold_list(const Specialization *spec, const node *n, PyObject *value, int64_t *slots,
              list_copies *copies);

/* Write back what a call has changed, where it was entered, and release the copies.  What that raises
   is set unless an exception is. */
void end_copies(Specialization *spec, list_copies *copies, int entered);

/* Hold all values that need it among the arguments, which fit otherwise, and fill their slots. 0 if
   one does not fit; *count are held in any case, and must be released. */
int hold_values(const Specialization *spec, const call_arguments *arguments, int64_t *slots,
                held_value *held, Py_ssize_t *count, list_copies *copies);
void release_values(held_value *held, Py_ssize_t count);

/* Visit the values among the arguments, which fit, that are processed after their guards: buffers,
   values for generated code, and the members of composites, each with the node of the composite;
   the visitor takes over its reference.  `visit` receives node, value and slots, and returns 0 to
   end the walk; so does this function then. */
typedef int visitor(const Specialization *spec, const node *n, PyObject *value, int64_t *slots,
                    void *context);
int visit_values(const Specialization *spec, const call_arguments *arguments, int64_t *slots,
                 visitor *visit, void *context);

/* --- extensions.c ------------------------------------------------------------------------------ */

/* The generated code for values of a type, as the bytes of constants[type] of a node 'Z'. `unbox`
   fills the slots, calls `next`, and cleans up after it; -1 with an exception set, else 0. `box`
   takes over the owners in the slots.  A missing one is NULL. */
typedef struct {
    int64_t code; /* of the type */
    int (*unbox)(PyObject *value, int64_t *slots, int (*next)(void *context), void *context);
    PyObject *(*box)(const int64_t *slots);
} extension;

extern PyMethodDef extension_functions[];
int is_extension(PyObject *constant, int result); /* for arguments, or for a result */

/* Unbox the values for generated code, then call `next(context)`.  -1 with an exception set. */
int unbox_extensions(const Specialization *spec, const call_arguments *arguments, int64_t *slots,
                     int (*next)(void *context), void *context);

/* --- blocks.c ---------------------------------------------------------------------------------- */

extern PyMethodDef block_functions[];

/* Run a block as Python: 0, or 2 with an exception set.  The GIL is held.  It takes over the owners
   of the inputs; the caller gets those of the outputs. */
int32_t run_block(void *block, const int64_t *inputs, int64_t *outputs);

/* --- specialization.c -------------------------------------------------------------------------- */

/* Try one specialization.  NULL with *fits 0: the arguments do not fit; with 1: it raised.  The
   call is counted as one of the ways above. */
PyObject *try_call(Specialization *spec, const call_arguments *arguments, int lenient, int way,
                   int *fits);

/* The same with guards alone, which suffice for most calls. */
PyObject *try_guards(Specialization *spec, const call_arguments *arguments, int *fits);

int make_quick_guards(Specialization *self); /* -1 with an exception set */

/* The number of calls of all threads that found it on a way. */
unsigned long long hits_of(const Specialization *self, int way);

/* Whether this thread calls it nearly all the time: then it is not worth changing what other
   threads read.  With the GIL it always is. */
int is_busy(const Specialization *self);
int make_counts(Specialization *self); /* -1 with an exception set */
void drop_counts(Specialization *self);

/* Without the GIL: whether no thread is between `begin_use` and `end_use`, and each that enters
   sees earlier writes. */
int nobody_calls(void);

/* Set the codes of a specialization's argument types, which it takes over; `omitted` are those of
   its parameters' defaults. */
void set_codes(Specialization *self, int32_t *codes, const int32_t *omitted);

/* Whether a specialization's guards accept the arguments; -1 if out of memory. */
int guards_accept(const Specialization *spec, const call_arguments *arguments);

/* Prepare a record for compiled code, and raise the exception in it. */
void begin_exc(cutaway_exc *exc);
void raise_described(const cutaway_exc *exc);

/* Whether the thread's stack is used up; then a RecursionError is set. */
int is_too_deep(void);

/* --- identities.c ------------------------------------------------------------------------------ */

/* The number of an object; 0 if it cannot have one. */
uint32_t name_of(PyObject *object);

/* The object with a number, as a new reference; None if it is gone. */
PyObject *object_named(uint32_t name);

/* --- fingerprints.c ---------------------------------------------------------------------------- */

typedef struct {
    uint32_t *words;
    size_t length, room;
    uint32_t fixed[64];
} fingerprint;

void begin_fingerprint(fingerprint *f);
void end_fingerprint(fingerprint *f);

/* Add a value, or a tuple that was not made; 0 if it has no fingerprint. */
int put_value(fingerprint *f, PyObject *value, int depth);
int put_tuple_of(fingerprint *f, PyObject *const *items, Py_ssize_t count);

/* Add the value itself, as the type that holds it; 0 if no type does. */
int put_literal(fingerprint *f, PyObject *value);

int register_class(PyObject *cls, PyObject *attributes);
int find_classes(void);
extern PyTypeObject *deque_class;

/* --- codes.c and selection.c ------------------------------------------------------------------- */

enum { EXACT, PROMOTION, SAFE, UNSAFE, NONE };

/* The code of a value's type, or of a tuple that was not made; 0 if it is not known. */
int32_t code_of(PyObject *value);
int32_t code_of_tuple(PyObject *const *items, Py_ssize_t count);
int32_t code_of_literal(PyObject *value); /* of the type that holds the value itself */
void find_scalar_classes(void);

/* Count the specializations that match a call best, and set the one if it is unique, as a new
   reference; -1 with an exception set. */
int select_best(PyObject *specializations, const int32_t *codes, Py_ssize_t count,
                int unsafe_allowed, Specialization **best);

extern PyMethodDef code_functions[], selection_functions[], stack_functions[], ufunc_functions[];
extern PyMethodDef native_functions[];

/* --- attributes.c ------------------------------------------------------------------------------ */

PyObject *dispatcher_getattro(PyObject *self, PyObject *name);
int dispatcher_setattro(PyObject *self, PyObject *name, PyObject *value);
PyObject *dispatcher_descr_get(PyObject *self, PyObject *object, PyObject *type);
PyObject *dispatcher_repr(PyObject *self);
PyObject *dispatcher_reduce(PyObject *self, PyObject *unused);
PyObject *dispatcher_copy(PyObject *self, PyObject *unused);
PyObject *dispatcher_dir(PyObject *self, PyObject *unused);

/* Attributes of the Python function; `name` is a char *. */
PyObject *get_of_function(PyObject *self, void *name);
int set_string(PyObject *self, PyObject *value, void *name);
int set_anything(PyObject *self, PyObject *value, void *name);
int set_annotations(PyObject *self, PyObject *value, void *name);
int set_type_params(PyObject *self, PyObject *value, void *name);
int refuse_change(PyObject *self, PyObject *value, void *name);

/* --- profiling.c ------------------------------------------------------------------------------- */

#if !HAS_MONITORING
extern PyThreadState *const *running_thread;

/* Whether a profiler or tracer observes calls in this thread. */
static inline int being_profiled(void)
{
    return (*running_thread)->cframe->use_tracing;
}
#else
extern const uint32_t *start_and_return_tools;

/* Whether a profiler, a tracer or another tool observes calls. */
static inline int being_profiled(void)
{
    return *start_and_return_tools != 0;
}
#endif

/* Find the fields that the above read; -1 with an exception set. */
int ready_profiling(void);

/* Call so that profilers see a Python function's call; and the function that it runs in the end. */
PyObject *call_profiled(PyObject *callable, PyObject *const *args, size_t nargsf,
                        PyObject *kwnames);
PyObject *call_unprofiled(PyObject *callable, PyObject *const *args, size_t nargsf,
                          PyObject *kwnames);

#pragma GCC visibility pop

#endif
