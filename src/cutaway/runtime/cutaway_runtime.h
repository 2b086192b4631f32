/* The interface between compiled code and the dispatcher.

   Slots.  A value travels between Python and compiled code in slots of 8 bytes: bool 1 (0 or 1);
   integers 1 (extended to 64 bits); float16 and float32 1 (in the low bytes); float64 1; complex
   2; None and constants 0; an array 2 + 2 n: owner, data, sizes, strides in bytes; a tuple the slots of
   its items; a range 3: start, stop, step; a slice 1 for each bound that is not None; an optional
   value 1 more: 0 for None, else 1; a time 1, its number of units; a record 2: owner, data; an opaque
   object 1, itself as an owner; a dtype 0; a str 4: owner, data, length, bytes per character; a
   list, set or dict 1: its owner; a buffer as an array; one of several objects 1: its index.

   Descriptors.  The type of a value in the form that the C code reads, one or more bytes each:
     ?                        bool
     i1 i2 i4 i8 u1 u2 u4 u8  integers by bytes
     f2 f4 f8 c8 cg           float16, float32, float64, complex64, complex128
     N                        None
     O                        an omitted argument
     A <type> <ndim> <C|F|A> <flags>   an array: NumPy's type number, dimensions, layout; flag 1
                              read-only, 2 unaligned
     G <index> <ndim> <C|F|A> <flags>   an array of the dtype constants[index], in native order
     D <index>                a datetime64 or timedelta64 of that dtype
     V <index> <flags>        a record of that dtype; flag 1 read-only
     Y <index>                a dtype with the memory layout of constants[index]
     X <index>                an object of exactly the class constants[index]
     ( ... )                  a tuple
     T <index> ... )          a named tuple of the class constants[index]
     P <class> <names> ... )  an object of exactly the class constants[class], by its attributes,
                              named by constants[names]; the class creates results from them
     W                        any object, in one slot: its address; a result is a new reference
     M ...                    a value or None
     H <flags> <index> ...    a list of such items; flag 1: that is empty; 2: a native one, whose
                              type is constants[index]
     Q <flags> <index> ...    a set of such items
     I <flags> <index> ... ...   a dict of such keys and values
     J ...                    a generator of such values, only as a result
     S <flags>                a slice; 1, 2, 4: start, stop, step are integers, not None
     R                        a range
     K <index>                the object constants[index]
     L <index>                an int, bool, str or bytes equal to constants[index]
     E <index>                one of the objects of the tuple constants[index]
     U                        a str
     Z <index> <count> <count>   a value that generated code unboxes and boxes, by constants[index];
                              the number of slots, the low byte first
     B <class> <format> <ndim> <C|F|A> <flags>   a buffer: b bytes, a bytearray, m memoryview or
                              r array.array; the format of its items in the struct
                              module; flag 1 read-only

   Owners.  The memory of an array, text or buffer belongs to its owner: 0 for none; a
   cutaway_meminfo; or, with bit 0 set, a Python object.  Arguments lend their owners; a result
   hands over a reference. */

#ifndef CUTAWAY_RUNTIME_H
#define CUTAWAY_RUNTIME_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#include "exc.h"

/* Memory that compiled code allocated.  The data follows at CUTAWAY_META_BYTES. */
typedef struct cutaway_meminfo {
    int64_t references;
    void *block;     /* the block returned by malloc */
    size_t capacity; /* its size */
    void (*dispose)(struct cutaway_meminfo *memory); /* before it is released; or NULL */
} cutaway_meminfo;

#define CUTAWAY_META_BYTES 64

/* An entry point: 0 done, 1 raise the exception of `exc`, 2 a Python exception is set. */
typedef int32_t (*cutaway_entry)(int64_t *ret, const int64_t *args, cutaway_exc *exc);

/* Replaces an entry point for code that does not run on this machine: it receives the slots, and
   launches.  The GIL is held; 0 or 2 as above. */
typedef struct cutaway_launcher {
    int32_t (*launch)(struct cutaway_launcher *self, const int64_t *args);
} cutaway_launcher;

/* NULL if memory is exhausted or the size is negative. */
cutaway_meminfo *cutaway_alloc(int64_t nbytes);
cutaway_meminfo *cutaway_alloc_zeroed(int64_t nbytes);

/* Add or drop a reference of an owner of any kind. */
void cutaway_incref(void *owner);
void cutaway_decref(void *owner);

/* Whether `count` bytes are equal in two places. */
int32_t cutaway_same_bytes(const char *first, const char *second, int64_t count);

/* A text is `length` characters of `width` bytes (1, 2 or 4).  These return: the length without the
   zeros at the end; the width of the widest of characters of 4 bytes, 0 where one is invalid; a
   copy that is cut off or padded with zeros; and the first position from `from` on that is not an
   ASCII character if `wanted`, else the first that is one, or the length if none is. */
int64_t cutaway_text_length(const char *data, int64_t length, int64_t width);
int64_t cutaway_text_width(const char *data, int64_t length);
void cutaway_text_copy(char *target, int64_t target_length, int64_t target_width,
                       const char *data, int64_t length, int64_t width);
int64_t cutaway_text_foreign(const char *data, int64_t length, int64_t width, int64_t from,
                             int32_t wanted);

/* Of `count` characters at distances of `step`: the width of the widest in bytes, and a copy of
   them. The hash of Python; -1 without memory.  The first position of a text in another, -1 if there is none.  And -1, 0 or 1: the order of
   two texts; zeros at the end count here. */
int64_t cutaway_hash_bytes(const char *data, int64_t count);
int64_t cutaway_text_part_width(const char *data, int64_t width, int64_t start, int64_t count,
                                int64_t step);
void cutaway_text_part(char *target, int64_t target_width, const char *data, int64_t width,
                       int64_t start, int64_t count, int64_t step);
int64_t cutaway_text_hash(const char *data, int64_t length, int64_t width);
int64_t cutaway_text_find(const char *data, int64_t length, int64_t width, const char *sought,
                          int64_t sought_length, int64_t sought_width);
int64_t cutaway_text_order(const char *first, int64_t length, int64_t width, const char *second,
                           int64_t other_length, int64_t other_width);

/* Whether so many characters of two texts are equal; the texts may be wider than necessary. */
int32_t cutaway_same_characters(const char *first, const char *second, int64_t width,
                                int64_t other_width, int64_t count);

/* The code point of a character, and the assignment of one. */
int64_t cutaway_text_character(const char *data, int64_t place, int64_t width);
void cutaway_text_put(char *data, int64_t place, int64_t width, int64_t value);

/* Compare two arrays of texts, element by element, into bytes in C order.  `axes` are the shape and
   the strides of both; `kinds` the length and width of the elements of the first and of the second,
   and the sum of 1, 2, 4 where less, equal and greater are true. */
void cutaway_compare_texts(char *result, int64_t ndim, const int64_t *axes, const char *first,
                           const char *second, const int64_t *kinds);

/* Record a call that an exception leaves. */
void cutaway_frame(cutaway_exc *exc, const char *table, int64_t index);

/* Write the exception to be raised into the record: only called on the way out, never urgent. */
void cutaway_describe(cutaway_exc *exc, const char *table, int64_t index, int64_t first,
                      int64_t second, int64_t third, int64_t fourth);

/* Have Python run place `index` of a table, with values in slots; 0, or 2 with an exception set. */
int32_t cutaway_call_python(const char *table, int64_t index, const int64_t *values,
                            int64_t count);

/* Run a block of a compiled function as Python, with the GIL.  `inputs` are slots, whose owners are
   taken over, `outputs` slots, whose owners are handed over; `handled` is the exception being
   handled, an owner, or NULL.  0, or 2 where a Python exception is set. */
int32_t cutaway_run_block(void *block, const int64_t *inputs, int64_t *outputs, void *handled);
typedef int32_t cutaway_block_runner(void *block, const int64_t *inputs, int64_t *outputs);

/* An external function and its last argument, which compiled code finds under a name like
   "numpy.exp.d.d".  The function of a ufunc is

       void loop(char **args, const int64_t *sizes, const int64_t *steps, void *data)

   where args are the inputs and outputs, sizes[0] counts the elements (and the core dimensions
   follow), and steps are in bytes (and the strides of core dimensions follow).  Functions of a
   dtype, for "numpy.dtype.sort.d" and the like, where data is an array of that dtype:

       int sort(void *values, int64_t count, void *data)                  (and stable_sort)
       int argsort(const void *values, int64_t *indices, int64_t count, void *data)
                                     (and stable_argsort; the indices are 0, 1, ... before)
       int argmax(const void *values, int64_t count, int64_t *index, void *data)  (and argmin)
       char nonzero(const void *value, void *data)
       void dot(const void *a, int64_t a_step, const void *b, int64_t b_step, void *result,
                int64_t count, void *data)

   The values are aligned, in native order, and contiguous except for dot, which has steps in
   bytes.  A negative int means that memory is exhausted. */
typedef struct {
    void *function;
    void *data;
} cutaway_loop;

/* 0, or 2 where a loop has left a Python exception on this thread.  To be called after loops that
   may raise: integer powers (of a negative integer), and those that allocate memory: linear
   algebra, Fourier transforms.  The GIL may be held or not.  Such a loop must run on a thread that
   has a Python thread state: otherwise NumPy creates one for the exception alone, which is lost
   with it. */
int32_t cutaway_numpy_failed(void);

/* Clear the flags of floating-point operations.  Loops only set flags, so this is needed where they
   are read later; loops of linear algebra clear them themselves, see below. */
void cutaway_clear_float_flags(void);

/* Call a ufunc's loop, and return the flags of its floating-point operations: the sum of 1 division
   by zero, 2 overflow, 4 underflow, 8 invalid (NumPy's numbers).  Linear algebra reports an error
   by 8: a singular matrix, or iterations that do not converge.  (Clearing and reading the flags
   stay in one function: LLVM moves operations across calls of others.) */
int32_t cutaway_numpy_flags(const cutaway_loop *loop, char **args, const int64_t *sizes,
                            const int64_t *steps);

/* Call a ufunc's loop for a whole stack, whose axes are in `outer`: their sizes, then for each
   operand the strides along them.  `sizes` and `steps` are the arguments of the loop, with room in
   front for those of the stack.  0, 1 where an operation was invalid, -1 where a Python exception
   is set. */
int32_t cutaway_numpy_stack(const cutaway_loop *loop, int64_t operands, char **args, int64_t ndim,
                            const int64_t *outer, int64_t *sizes, int64_t *steps);

/* The products of lines of `count` elements, by a dtype's `dot`, for each place of a stack as
   above, of two lines and a result. */
void cutaway_numpy_dots(const cutaway_loop *loop, char **args, int64_t ndim, const int64_t *outer,
                        int64_t count, int64_t a_step, int64_t b_step);

/* Combine a total with all elements of an array by a ufunc's loop, in the same runs as NumPy.
   `axes` are sizes, then strides. */
void cutaway_fold_all(const cutaway_loop *loop, const char *data, int64_t ndim, const int64_t *axes,
                      int64_t item, char *total);

/* Sort axes as NumPy's iterators do: the largest step first, axes of one element before them. */
void cutaway_memory_order(int64_t ndim, int64_t *sizes, int64_t *steps);

/* The GIL.  Compiled code may run without it: what it calls holds it where it needs Python. */
typedef struct {
    int way; /* how it was acquired, see gil.c */
    PyGILState_STATE state;
} cutaway_held;

void cutaway_release_gil(void);  /* before compiled code that runs without it, */
void cutaway_take_gil_back(void); /* and after it */
cutaway_held cutaway_hold_gil(void); /* on any thread, whether it holds the GIL or not */
void cutaway_end_hold(cutaway_held held);

/* Raise the exception of a record (1), or continue with the one that is set, with the calls that it
   came through in its traceback (2). */
void cutaway_raise(const cutaway_exc *exc, int32_t status);

/* Take the exception that is set, with its traceback, and clear it; and set it, taking it over. */
PyObject *cutaway_taken(void);
void cutaway_set(PyObject *error);

/* Handlers in compiled code: the exception of a status, as an owner, while `outer` is being
   handled, or NULL; and raise such an exception again, which returns the status. */
void *cutaway_catch(cutaway_exc *exc, int32_t status, void *outer);
void cutaway_set_cause(void *owner, void *cause);
int32_t cutaway_reraise(void *owner);

/* Whether an exception is an instance of one of the classes of a place of a table. */
int32_t cutaway_matches(const char *table, int64_t index, void *owner);

/* `str` of an exception: the owner, the characters, their number and their width; the status. */
int32_t cutaway_exception_text(void *owner, int64_t *text);
int32_t cutaway_exception_part(void *owner, int32_t what, int64_t index, void **part);
int32_t cutaway_exception_number(void *owner, int32_t how, void *number);

PyObject *set_raise_hook(PyObject *module, PyObject *hook);
PyObject *set_frames_hook(PyObject *module, PyObject *hook);
PyObject *set_site_hook(PyObject *module, PyObject *hook);
PyObject *forget_sites(PyObject *module, PyObject *name);
int add_exceptions(void);

/* A traceback with a line in front of a chain. */
PyObject *cutaway_traceback(PyCodeObject *code, int line, PyObject *chain);

/* A generator: the frame of a suspended function, NULL after its end.  `next` resumes it and
   returns a status, `close` releases it.  `keep` owns the code, and `descriptor` is that of an item
   once the generator has been returned to Python. */
typedef struct cutaway_generator {
    PyObject_HEAD
    void *frame;
    int32_t (*next)(void *frame);
    void (*close)(void *frame);
    PyObject *(*advance)(struct cutaway_generator *self);
    PyObject *keep;
    const void *descriptor;
    int running;
} cutaway_generator;

void *cutaway_new_frame(int64_t size);
void cutaway_free_frame(void *frame);
void *cutaway_lend(void *owner);
void *cutaway_new_generator(void *frame, int32_t (*next)(void *), void (*close)(void *));
void cutaway_close_generator(cutaway_generator *self);
int32_t cutaway_generator_raised(cutaway_exc *exc, int32_t status);
int add_generators(PyObject *module);

/* The name of the capsule by which the dispatcher's module finds the runtime's functions. */
#define CUTAWAY_RUNTIME_CAPSULE "cutaway.runtime._runtime.api"

typedef struct {
    void (*decref)(void *owner);
    PyObject *(*wrap)(cutaway_meminfo *memory); /* takes over the reference */
    void (*release_gil)(void);
    void (*take_gil_back)(void);
    PyObject *(*traceback)(PyCodeObject *code, int line, PyObject *chain);
    int (*is_gil_released)(void); /* whether compiled code of this thread runs without it */
    cutaway_held (*hold_gil)(void);
    void (*end_hold)(cutaway_held held);
    void (*raise)(const cutaway_exc *exc, int32_t status);
    void (*close_generator)(cutaway_generator *self);
    int32_t (*generator_raised)(cutaway_exc *exc, int32_t status);
    void (*incref)(void *owner);
    void (*set_block_runner)(cutaway_block_runner *runner); /* sets the function that runs blocks */
    void *(*list_new)(int64_t item_bytes, int64_t owners, int64_t capacity);
    void *(*table_new)(const char *fields, int64_t key_bytes, int64_t key_owners,
                       int64_t value_bytes, int64_t value_owners);
    int64_t (*table_put)(void *owner, const int64_t *key);
    int32_t (*list_grow)(void *owner, int64_t more);
    int32_t (*list_gap)(void *owner, int64_t index, int64_t count);
    void (*list_cut)(void *owner, int64_t index, int64_t count);
    int32_t (*list_add)(void *owner, void *other, int64_t start, int64_t step, int64_t count);
    void (*list_reverse)(void *owner);
    int64_t (*table_find)(void *owner, const int64_t *key);
    void (*table_remove)(void *owner, int64_t number);
    void (*table_clear)(void *owner);
    void *(*table_copy)(const void *owner);
} cutaway_runtime_api;

#endif
