/* What object mode calls beside Python's own functions: each gives a new reference, or NULL with an
   exception set, and borrows what it is given, unless it says something else.  The table of
   `lowering/objects/api.py` has a row for each.

   An environment is an array of objects that the code of one function refers to by their places,
   the first few of which are always the same. */

#ifndef CUTAWAY_OBJECTS_H
#define CUTAWAY_OBJECTS_H

#include "compat.h"
#include "cutaway_runtime.h"

enum { ENV_GLOBALS, ENV_BUILTINS, ENV_CODE, ENV_KNOWN, ENV_ATTRIBUTES, ENV_KEEP };

void cutaway_py_end(PyObject *object); /* its last reference is gone */

static inline void one_less(PyObject *object)
{
#if FREE_THREADED
    Py_DECREF(object);
#else
    if (was_last(object))
        cutaway_py_end(object);
#endif
}

/* --- object_operators.c ------------------------------------------------------------------------ */

/* `last` says which operands are dropped right after the operation. */
enum { LAST_OF_A = 1, LAST_OF_B = 2 };

PyObject *cutaway_py_add(PyObject *a, PyObject *b, int32_t last);
PyObject *cutaway_py_subtract(PyObject *a, PyObject *b, int32_t last);
PyObject *cutaway_py_multiply(PyObject *a, PyObject *b, int32_t last);
PyObject *cutaway_py_divide(PyObject *a, PyObject *b, int32_t last);
PyObject *cutaway_py_negative(PyObject *value);
PyObject *cutaway_py_floor_divide(PyObject *a, PyObject *b);
PyObject *cutaway_py_remainder(PyObject *a, PyObject *b);
PyObject *cutaway_py_power(PyObject *a, PyObject *b);
PyObject *cutaway_py_lshift(PyObject *a, PyObject *b);
PyObject *cutaway_py_rshift(PyObject *a, PyObject *b);
PyObject *cutaway_py_and(PyObject *a, PyObject *b);
PyObject *cutaway_py_or(PyObject *a, PyObject *b);
PyObject *cutaway_py_xor(PyObject *a, PyObject *b);
PyObject *cutaway_py_inplace_add(PyObject *a, PyObject *b, int32_t last);
PyObject *cutaway_py_inplace_subtract(PyObject *a, PyObject *b, int32_t last);
PyObject *cutaway_py_inplace_multiply(PyObject *a, PyObject *b, int32_t last);
PyObject *cutaway_py_inplace_divide(PyObject *a, PyObject *b, int32_t last);
PyObject *cutaway_py_inplace_floor_divide(PyObject *a, PyObject *b);
PyObject *cutaway_py_inplace_remainder(PyObject *a, PyObject *b);
PyObject *cutaway_py_inplace_lshift(PyObject *a, PyObject *b);
PyObject *cutaway_py_inplace_rshift(PyObject *a, PyObject *b);
PyObject *cutaway_py_inplace_and(PyObject *a, PyObject *b);
PyObject *cutaway_py_inplace_or(PyObject *a, PyObject *b);
PyObject *cutaway_py_inplace_xor(PyObject *a, PyObject *b);
PyObject *cutaway_py_inplace_power(PyObject *a, PyObject *b);
PyObject *cutaway_py_compare(PyObject *a, PyObject *b, int32_t how);

/* Whether a comparison is true: 1, 0, or -1 with an exception set. */
int32_t cutaway_py_compares(PyObject *a, PyObject *b, int32_t how);

/* `a + b` of texts, where *a may be made longer in place: then it is NULL. */
PyObject *cutaway_py_append(PyObject **a, PyObject *b, int32_t inplace, int32_t last);

/* --- object_integers.c ------------------------------------------------------------------------- */

PyObject *cutaway_py_loop(PyObject *value); /* an iterator that nobody but a loop sees */

/* --- object_items.c ---------------------------------------------------------------------------- */

PyObject *cutaway_py_getitem(PyObject *value, PyObject *index);
int32_t cutaway_py_setitem(PyObject *target, PyObject *index, PyObject *value);
PyObject *cutaway_py_item(PyObject *tuple, int64_t place); /* of what `unpack` gave */
PyObject *cutaway_py_next(PyObject *iterator);             /* NULL at the end as well */
int32_t cutaway_py_ended(void); /* after NULL: 0 if that was the end, -1 for an exception */
PyObject *cutaway_py_tuple(PyObject *const *items, int64_t count);
PyObject *cutaway_py_list(PyObject *const *items, int64_t count);
PyObject *cutaway_py_set(PyObject *const *items, int64_t count);
PyObject *cutaway_py_dict(PyObject *const *items, int64_t count); /* keys and values in turn */
PyObject *cutaway_py_string(PyObject *const *pieces, int64_t count);
PyObject *cutaway_py_format(PyObject *value, PyObject *spec, int32_t conversion);
PyObject *cutaway_py_unpack(PyObject *value, int64_t count);
PyObject *cutaway_py_unpack_star(PyObject *value, int64_t before, int64_t after);
int32_t cutaway_py_list_extend(PyObject *list, PyObject *items);
int32_t cutaway_py_set_update(PyObject *set, PyObject *items);
int32_t cutaway_py_dict_update(PyObject *dict, PyObject *items);
int32_t cutaway_py_dict_merge(PyObject *dict, PyObject *items, PyObject *function);

/* --- object_patterns.c ------------------------------------------------------------------------- */

int32_t cutaway_py_is_sequence(PyObject *value);
int32_t cutaway_py_is_mapping(PyObject *value);
PyObject *cutaway_py_match_keys(PyObject *value, PyObject *keys);
PyObject *cutaway_py_match_class(PyObject *value, PyObject *cls, int64_t count, PyObject *names);

/* Let signals have their effect, and other threads their turns: called in loops, now and then. */
int32_t cutaway_py_poll(void);

/* --- object_globals.c -------------------------------------------------------------------------- */

/* What a name of the module leads to; `place` is that of its row among what is known. */
PyObject *cutaway_py_global(PyObject *const *env, PyObject *name, int64_t place);
PyObject *watch_namespaces(PyObject *module, PyObject *args);

/* --- object_attributes.c ----------------------------------------------------------------------- */

/* What the class or one of its bases has; NULL where there is nothing, or with an exception. */
PyObject *cutaway_in_class(PyTypeObject *type, PyObject *name);

/* The same without a reference, and 1 if it is so as long as the class has its number. */
int cutaway_in_class_now(PyTypeObject *type, PyObject *name, PyObject **found);

/* `place` is that of a row among what is known of attributes. */
PyObject *cutaway_py_getattr(PyObject *const *env, PyObject *value, PyObject *name, int64_t place);
int32_t cutaway_py_setattr(PyObject *const *env, PyObject *target, PyObject *name, PyObject *value,
                           int64_t place);
int32_t cutaway_py_delattr(PyObject *target, PyObject *name);

/* What is called for `value.name(...)`, and in *self the object to be passed first, or NULL. */
PyObject *cutaway_py_method(PyObject *const *env, PyObject *value, PyObject *name, PyObject **self,
                            int64_t place);
void add_object_attributes(void);

/* --- object_instances.c ------------------------------------------------------------------------ */

/* The `__init__` of an ordinary class, borrowed, or NULL: then its instances are made by a call. */
PyObject *cutaway_init_of(PyTypeObject *type);
PyObject *cutaway_instance(PyTypeObject *type, PyObject *init, PyObject **args, int64_t count,
                           PyObject *names); /* there is room in front of the arguments */
int add_object_instances(void);

/* --- object_calls.c ---------------------------------------------------------------------------- */

void cutaway_py_no_name(const char *words, PyObject *name); /* NameError */
PyObject *cutaway_py_read_cell(PyObject *cell, PyObject *name); /* of an enclosing function */
int32_t cutaway_py_write_global(PyObject *const *env, PyObject *name, PyObject *value);
int32_t cutaway_py_delete_global(PyObject *const *env, PyObject *name);
int32_t cutaway_py_delete_cell(PyObject *cell, PyObject *name);
int32_t cutaway_py_set_cell(PyObject *cell, PyObject *value); /* which may be NULL */
void cutaway_py_unbound(const char *words);
void cutaway_py_no_environment(void);
void cutaway_py_unbound_free(PyObject *name);

PyObject *cutaway_py_function_name(PyObject *function); /* as messages name it */

/* How many of the arguments have no name. */
static inline size_t positional(int64_t count, PyObject *names)
{
    return (size_t)count - (names ? (size_t)PyTuple_GET_SIZE(names) : 0);
}

/* There is room for an object in front of the arguments; for a method's there is more. */
PyObject *cutaway_py_call(PyObject *function, PyObject **args, int64_t count, PyObject *names);
PyObject *cutaway_py_call_method(PyObject *function, PyObject *self, PyObject **args, int64_t count,
                                 PyObject *names);
PyObject *cutaway_py_call_star(PyObject *function, PyObject *const *args, int64_t count,
                               PyObject *names, PyObject *star);
PyObject *cutaway_py_call_spread(PyObject *function, PyObject *items, PyObject *named);
PyObject *cutaway_py_globals(PyObject *const *env, PyObject *function);
PyObject *set_frame_hook(PyObject *module, PyObject *args);

/* A function with these values of its defaults, the last of which are those of keywords `names`, and
   these cells; one that is NULL is to have the function itself. */
PyObject *cutaway_py_function(PyObject *const *env, PyObject *code, PyObject *const *defaults,
                              int64_t count, PyObject *names, PyObject *const *cells,
                              int64_t cell_count);
PyObject *cutaway_py_import(PyObject *const *env, PyObject *name, PyObject *names, PyObject *level);
PyObject *cutaway_py_import_from(PyObject *module, PyObject *name);

/* One reference less of what may be NULL: out of line, where exceptions pass. */
void cutaway_py_drop(PyObject *object);
void cutaway_py_drop_all(PyObject **objects, int64_t count);

/* --- object_generators.c ----------------------------------------------------------------------- */

/* A generator that begins with these arguments, and whose frame has so many slots; `owned` are bytes
   with a row for each state, of how many references each slot holds. */
struct frame;
PyObject *cutaway_py_generator(PyObject *const *env, PyObject *const *args, int64_t arguments,
                               int64_t count,
                               int32_t (*step)(PyObject *const *, struct frame *, PyObject **),
                               PyObject *owned);

/* A step of `yield from`, with what was sent in *value (which is taken over), or NULL where an
   exception is set: 0 and an item, 1 and the result, or 2 with an exception set. */
int32_t cutaway_py_delegate(PyObject *iterator, PyObject **value);

/* What is handled is the context of the exception that is thrown in. */
void cutaway_py_thrown(void);

/* While a generator waits the exceptions that it handles are nobody's: what was handled around them
   is handled again, and *innermost is what it handles itself. */
void cutaway_py_leave_handlers(PyObject **outermost, PyObject **innermost);
void cutaway_py_enter_handlers(PyObject **outermost, PyObject **innermost);
int add_object_generators(PyObject *module);

/* --- object_loops.c ---------------------------------------------------------------------------- */

/* Run a lifted loop with these values, of which some may be NULL: what it gives, or None where no
   types fit.  The instruction and the line are those of the loop. */
PyObject *cutaway_py_run_loop(PyObject *const *env, PyObject *loop, PyObject *const *args,
                              int64_t count, int32_t lasti, int32_t line);

/* --- object_exceptions.c ----------------------------------------------------------------------- */

/* Note that the exception that is set leaves an instruction of the function, at a line. */
void cutaway_py_failed(PyObject *const *env, int32_t lasti, int32_t line);

/* The exception that is set, which is handled from here on; *before is what was handled. */
PyObject *cutaway_py_caught(PyObject **before);
void cutaway_py_end_handler(PyObject **before); /* which is handled again, and NULL afterward */
int32_t cutaway_py_matches(PyObject *exception, PyObject *classes);
void cutaway_py_raise(PyObject *exception, PyObject *cause); /* the cause may be NULL */
void cutaway_py_reraise(PyObject *exception);
void cutaway_py_raise_current(PyObject *const *env, int32_t lasti, int32_t line);

/* What `__enter__` gives; in *leave what is called at the end, and in *self what is passed to it
   first, or NULL.  Where there is no place for that it is bound. */
PyObject *cutaway_py_enter(PyObject *manager, PyObject **leave, PyObject **self);
PyObject *cutaway_py_exit_with(PyObject *leave, PyObject *self, PyObject *exception);
int add_object_exceptions(void);

#endif
