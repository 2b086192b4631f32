/* What compiled code and the dispatcher agree on.

   Slots.  A value travels between Python and compiled code in slots of 8 bytes: bool 1 (0 or 1);
   integers 1 (extended to 64 bits); float16 and float32 1 (in the low bytes); float64 1; complex
   2; None and constants 0; an array 2 + 2 n: owner, data, sizes, strides in bytes; a tuple its items one
   after the other; a range 3: start, stop, step; a slice 1 for each bound that is not None; a value
   or None 1 more, which says whether it is there; a time 1, its count of units; a record 2: owner,
   data; an opaque object 1, itself as an owner; a dtype 0; a str 4: owner, data, length, bytes a
   character; a list, set or dict 1: its owner; a buffer as an array; one of several objects 1: its place among them.

   Descriptors.  How the C code is told the type of a value, one or more bytes each:
     ?                        bool
     i1 i2 i4 i8 u1 u2 u4 u8  integers by bytes
     f2 f4 f8 c8 cg           float16, float32, float64, complex64, complex128
     N                        None
     O                        an argument left out
     A <type> <ndim> <C|F|A> <flags>   an array: NumPy's type number, dimensions, layout; flag 1
                              read-only, 2 unaligned
     G <index> <ndim> <C|F|A> <flags>   the same of the dtype constants[index], in native order
     D <index>                a datetime64 or timedelta64 of that dtype
     V <index> <flags>        a record of that dtype; flag 1 read-only
     Y <index>                a dtype that says of memory what constants[index] says
     X <index>                an object of the very class constants[index]
     ( ... )                  a tuple
     T <index> ... )          a named tuple of the class constants[index]
     P <class> <names> ... )  an object of the very class constants[class], by its attributes, whose
                              names constants[names] has; the class makes results of them
     W                        any object, in one slot: its address; a result is a new reference
     M ...                    a value or None
     H <flags> ...            a list of such items; flag 1: that is empty
     Q <flags> ...            a set of such items
     I <flags> ... ...        a dict of such keys and values
     J ...                    a generator of such values, only as a result
     S <flags>                a slice; 1, 2, 4: start, stop, step are integers, not None
     R                        a range
     K <index>                the very object constants[index]
     L <index>                an int, bool, str or bytes equal to constants[index]
     E <index>                one of the objects of the tuple constants[index]
     U                        a str
     Z <index> <count> <count>   what generated code unboxes and boxes, which constants[index] says;
                              how many slots, the low byte first
     B <class> <format> <ndim> <C|F|A> <flags>   a buffer: b bytes, a bytearray, m memoryview or
                              r array.array; its items as the struct module writes them; flag 1
                              read-only

   Owners.  The memory of an array, text or buffer belongs to its owner: 0, nobody in particular; a
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
    void *block;     /* what malloc gave */
    size_t capacity; /* its size */
    void (*dispose)(struct cutaway_meminfo *memory); /* before it is released; or NULL */
} cutaway_meminfo;

#define CUTAWAY_META_BYTES 64

/* An entry point: 0 done, 1 raise what `exc` says, 2 a Python exception is set. */
typedef int32_t (*cutaway_entry)(int64_t *ret, const int64_t *args, cutaway_exc *exc);

/* What stands in the place of an entry point for code that does not run here: it is given the slots, and
   launches.  The GIL is held; 0 or 2 as above. */
typedef struct cutaway_launcher {
    int32_t (*launch)(struct cutaway_launcher *self, const int64_t *args);
} cutaway_launcher;

/* NULL when there is no memory or the size is negative. */
cutaway_meminfo *cutaway_alloc(int64_t nbytes);
cutaway_meminfo *cutaway_alloc_zeroed(int64_t nbytes);

/* One reference more or less for whatever kind of owner. */
void cutaway_incref(void *owner);
void cutaway_decref(void *owner);

/* Whether so many bytes are the same in two places. */
int32_t cutaway_same_bytes(const char *first, const char *second, int64_t count);

/* A text is `length` characters of `width` bytes (1, 2 or 4).  How long one is without the zeros at
   its end; how wide its widest character of 4 bytes is, 0 where one is none; a copy that is cut
   off or filled up with zeros; and the first place from `from` on that is no ASCII character
   where that is `wanted`, or is one, the length where there is none. */
int64_t cutaway_text_length(const char *data, int64_t length, int64_t width);
int64_t cutaway_text_width(const char *data, int64_t length);
void cutaway_text_copy(char *target, int64_t target_length, int64_t target_width,
                       const char *data, int64_t length, int64_t width);
int64_t cutaway_text_foreign(const char *data, int64_t length, int64_t width, int64_t from,
                             int32_t wanted);

/* Of `count` characters, each `step` behind the one before: how many bytes the widest takes, and a
   copy of them.  The first place of a text in another, -1 where it is not there.  And -1, 0 or 1:
   which of two texts comes first; zeros at the end count here. */
int64_t cutaway_text_part_width(const char *data, int64_t width, int64_t start, int64_t count,
                                int64_t step);
void cutaway_text_part(char *target, int64_t target_width, const char *data, int64_t width,
                       int64_t start, int64_t count, int64_t step);
int64_t cutaway_text_find(const char *data, int64_t length, int64_t width, const char *sought,
                          int64_t sought_length, int64_t sought_width);
int64_t cutaway_text_order(const char *first, int64_t length, int64_t width, const char *second,
                           int64_t other_length, int64_t other_width);

/* Whether so many characters of two texts are the same, which may be wider than they need to be. */
int32_t cutaway_same_characters(const char *first, const char *second, int64_t width,
                                int64_t other_width, int64_t count);

/* The number of a character, and a character set to a number. */
int64_t cutaway_text_character(const char *data, int64_t place, int64_t width);
void cutaway_text_put(char *data, int64_t place, int64_t width, int64_t value);

/* Compare two arrays of texts, element by element, into bytes that lie in C order.  `axes` are the
   shape and the steps of both; `kinds` the length and width of the first's and of the second's
   elements, and the sum of 1, 2, 4 where less, equal and greater are true. */
void cutaway_compare_texts(char *result, int64_t ndim, const int64_t *axes, const char *first,
                           const char *second, const int64_t *kinds);

/* Note a call that an exception leaves through. */
void cutaway_frame(cutaway_exc *exc, const char *table, int64_t index);

/* Write what is to be raised into the record: called on the way out, so never in a hurry. */
void cutaway_describe(cutaway_exc *exc, const char *table, int64_t index, int64_t first,
                      int64_t second, int64_t third, int64_t fourth);

/* Have Python do what place `index` of a table says, with values in slots; 0, or 2 where a Python
   exception is set. */
int32_t cutaway_call_python(const char *table, int64_t index, const int64_t *values,
                            int64_t count);

/* Run a block of a compiled function as Python, with the GIL: values in slots, whose owners are taken
   over, and values that come out, whose owners are handed over; `handled` is the exception that is
   being handled, an owner, or nothing.  0, or 2 where a Python exception is set. */
int32_t cutaway_run_block(void *block, const int64_t *inputs, int64_t *outputs, void *handled);
typedef int32_t cutaway_block_runner(void *block, const int64_t *inputs, int64_t *outputs);

/* A function from elsewhere and its last argument, as compiled code finds them under a name like
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

   The values are aligned, in native order, and lie side by side but for dot, which has steps in
   bytes.  An int that is negative says that there was no memory. */
typedef struct {
    void *function;
    void *data;
} cutaway_loop;

/* 0, or 2 where a loop has left a Python exception on this thread.  To be called after loops that
   may do so: integer powers (of a negative integer), and where one allocates memory: linear
   algebra, Fourier transforms.  The GIL may be held or not.  Such a loop must run on a thread that
   Python knows: NumPy makes one known for the exception alone, which is lost with it. */
int32_t cutaway_numpy_failed(void);

/* Clear what floating-point operations have noted.  Loops only add to that, so it is needed where
   somebody asks later; loops of linear algebra ask themselves, see below. */
void cutaway_clear_float_flags(void);

/* Call a ufunc's loop, and tell what its floating-point operations have noted: the sum of 1 division
   by zero, 2 overflow, 4 underflow, 8 invalid (NumPy's numbers).  That is how linear algebra
   reports an error, by 8: a matrix that is singular, iterations that do not converge.  (Clearing
   before and asking after stay in one function: LLVM moves operations across calls of others.) */
int32_t cutaway_numpy_flags(const cutaway_loop *loop, char **args, const int64_t *sizes,
                            const int64_t *steps);

/* Call a ufunc's loop for a whole stack, whose axes `outer` has: their sizes, then for each operand
   the strides along them.  `sizes` and `steps` are what the loop gets, with room in front for what
   it is told of the stack.  0, 1 where an operation was invalid, -1 where a Python exception is set. */
int32_t cutaway_numpy_stack(const cutaway_loop *loop, int64_t operands, char **args, int64_t ndim,
                            const int64_t *outer, int64_t *sizes, int64_t *steps);

/* The products of lines of `count` elements, by a dtype's `dot`, for each place of a stack as above:
   of two lines and a result. */
void cutaway_numpy_dots(const cutaway_loop *loop, char **args, int64_t ndim, const int64_t *outer,
                        int64_t count, int64_t a_step, int64_t b_step);

/* Combine a total with all elements of an array, by a ufunc's loop, in the runs in which NumPy does.
   `axes` are sizes, then strides. */
void cutaway_fold_all(const cutaway_loop *loop, const char *data, int64_t ndim, const int64_t *axes,
                      int64_t item, char *total);

/* Sort axes as NumPy's iterators do: the largest step first, axes of one element before them. */
void cutaway_memory_order(int64_t ndim, int64_t *sizes, int64_t *steps);

/* The GIL.  Compiled code may run without it: what it calls holds it where it needs Python. */
typedef struct {
    int way; /* how it came to be held, see gil.c */
    PyGILState_STATE state;
} cutaway_held;

void cutaway_release_gil(void);  /* before compiled code that runs without it, */
void cutaway_take_gil_back(void); /* and after it */
cutaway_held cutaway_hold_gil(void); /* whoever has it, on any thread */
void cutaway_end_hold(cutaway_held held);

/* Raise what a record describes (1), or go on with what is set, with the calls that it came through
   in its traceback (2). */
void cutaway_raise(const cutaway_exc *exc, int32_t status);

/* The exception that is set, with its traceback, and none is set any more; and set it again, which
   takes over the reference. */
PyObject *cutaway_taken(void);
void cutaway_set(PyObject *error);

/* Handlers in compiled code: the exception that a status stands for, as an owner, while `outer` is
   being handled, or nothing; and that one raised once more, which gives the status. */
void *cutaway_catch(cutaway_exc *exc, int32_t status, void *outer);
void cutaway_set_cause(void *owner, void *cause);
int32_t cutaway_reraise(void *owner);

/* Whether an exception is one of the classes that a place of a table compares. */
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

/* A generator: the frame of a function that waits, NULL after its end.  `next` goes on with it and
   gives a status, `close` releases it.  `keep` has the code, and `descriptor` says what an item is,
   where it got to Python. */
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

/* How the dispatcher's module finds the runtime's functions: a capsule by this name. */
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
    void (*set_block_runner)(cutaway_block_runner *runner); /* what runs blocks */
    void *(*list_new)(int64_t item_bytes, int64_t owners, int64_t capacity);
    void *(*table_new)(const char *fields, int64_t key_bytes, int64_t key_owners,
                       int64_t value_bytes, int64_t value_owners);
    int64_t (*table_put)(void *owner, const int64_t *key);
} cutaway_runtime_api;

#endif
