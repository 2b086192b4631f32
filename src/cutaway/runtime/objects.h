/* The functions that object mode calls beside Python's own: each returns a new reference, or NULL
   with an exception set, and borrows its arguments, unless documented otherwise.  The table of
   `lowering/objects/api.py` has a row for each.

   An environment is an array of objects that the code of one function refers to by their positions,
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

/* `last`: the operands that are dropped right after the operation. */
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

/* The truth of a comparison: 1, 0, or -1 with an exception set. */
int32_t cutaway_py_compares(PyObject *a, PyObject *b, int32_t how);

/* `a + b` of texts, where *a may be extended in place: then it becomes NULL. */
PyObject *cutaway_py_append(PyObject **a, PyObject *b, int32_t inplace, int32_t last);

/* --- object_integers.c ------------------------------------------------------------------------- */

PyObject *cutaway_py_loop(PyObject *value); /* an iterator only used by a loop */

/* --- object_items.c ---------------------------------------------------------------------------- */

PyObject *cutaway_py_getitem(PyObject *value, PyObject *index);
int32_t cutaway_py_setitem(PyObject *target, PyObject *index, PyObject *value);
PyObject *cutaway_py_item(PyObject *tuple, int64_t place); /* of the result of `unpack` */
PyObject *cutaway_py_next(PyObject *iterator);             /* NULL at the end as well */
int32_t cutaway_py_ended(void); /* after NULL: 0 at the end, -1 for an exception */
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

/* Handle signals, and let other threads run: called in loops, now and then. */
int32_t cutaway_py_poll(void);

/* --- object_globals.c -------------------------------------------------------------------------- */

/* The object of a global name; `place` is that of its row in the cache. */
PyObject *cutaway_py_global(PyObject *const *env, PyObject *name, int64_t place);
PyObject *watch_namespaces(PyObject *module, PyObject *args);

/* --- object_attributes.c ----------------------------------------------------------------------- */

/* An attribute of the class or one of its bases; NULL if there is none, or with an exception. */
PyObject *cutaway_in_class(PyTypeObject *type, PyObject *name);

/* The same without a reference, and 1 if it is valid as long as the class keeps its number. */
int cutaway_in_class_now(PyTypeObject *type, PyObject *name, PyObject **found);

/* `place` is that of a row in the cache of attributes. */
PyObject *cutaway_py_getattr(PyObject *const *env, PyObject *value, PyObject *name, int64_t place);
int32_t cutaway_py_setattr(PyObject *const *env, PyObject *target, PyObject *name, PyObject *value,
                           int64_t place);
int32_t cutaway_py_delattr(PyObject *target, PyObject *name);

/* The function called by `value.name(...)`, and in *self the object to be passed first, or NULL. */
PyObject *cutaway_py_method(PyObject *const *env, PyObject *value, PyObject *name, PyObject **self,
                            int64_t place);
void add_object_attributes(void);

/* --- object_instances.c ------------------------------------------------------------------------ */

/* The `__init__` of an ordinary class, borrowed, or NULL: then a call creates its instances. */
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

/* The number of arguments without a name. */
static inline size_t positional(int64_t count, PyObject *names)
{
    return (size_t)count - (names ? (size_t)PyTuple_GET_SIZE(names) : 0);
}

/* There is room for an object in front of the arguments; for a method there is more. */
PyObject *cutaway_py_call(PyObject *function, PyObject **args, int64_t count, PyObject *names);
PyObject *cutaway_py_call_method(PyObject *function, PyObject *self, PyObject **args, int64_t count,
                                 PyObject *names);
PyObject *cutaway_py_call_star(PyObject *function, PyObject *const *args, int64_t count,
                               PyObject *names, PyObject *star);
PyObject *cutaway_py_call_spread(PyObject *function, PyObject *items, PyObject *named);
PyObject *cutaway_py_globals(PyObject *const *env, PyObject *function);
PyObject *set_frame_hook(PyObject *module, PyObject *args);

/* A function with these values of its defaults, the last of which are those of the keywords
   `names`, and these cells; NULL stands for a cell that is to hold the function itself. */
PyObject *cutaway_py_function(PyObject *const *env, PyObject *code, PyObject *const *defaults,
                              int64_t count, PyObject *names, PyObject *const *cells,
                              int64_t cell_count);
PyObject *cutaway_py_import(PyObject *const *env, PyObject *name, PyObject *names, PyObject *level);
PyObject *cutaway_py_import_from(PyObject *module, PyObject *name);

/* Drop a reference that may be NULL: out of line, on the path of exceptions. */
void cutaway_py_drop(PyObject *object);
void cutaway_py_drop_all(PyObject **objects, int64_t count);

/* --- object_generators.c ----------------------------------------------------------------------- */

/* A generator with these arguments, whose frame has `count` slots; `owned` are bytes with a row for
   each state, of the number of references that each slot holds. */
struct frame;
PyObject *cutaway_py_generator(PyObject *const *env, PyObject *const *args, int64_t arguments,
                               int64_t count,
                               int32_t (*step)(PyObject *const *, struct frame *, PyObject **),
                               PyObject *owned);

/* A step of `yield from`, with the value that was sent in *value (which is taken over), or NULL if
   an exception is set: 0 and an item, 1 and the result, or 2 with an exception set. */
int32_t cutaway_py_delegate(PyObject *iterator, PyObject **value);

/* The exception being handled becomes the context of the one that is thrown in. */
void cutaway_py_thrown(void);

/* While a generator is suspended, the exceptions that it handles are hidden: the outer exception is
   the handled one again, and *innermost receives the generator's own. */
void cutaway_py_leave_handlers(PyObject **outermost, PyObject **innermost);
void cutaway_py_enter_handlers(PyObject **outermost, PyObject **innermost);
int add_object_generators(PyObject *module);

/* --- object_loops.c ---------------------------------------------------------------------------- */

/* Run a lifted loop with these values, of which some may be NULL: its result, or None if no types
   fit.  The instruction and the line are those of the loop. */
PyObject *cutaway_py_run_loop(PyObject *const *env, PyObject *loop, PyObject *const *args,
                              int64_t count, int32_t lasti, int32_t line);

/* --- object_exceptions.c ----------------------------------------------------------------------- */

/* Add an instruction of the function, at a line, to the traceback of the exception that is set. */
void cutaway_py_failed(PyObject *const *env, int32_t lasti, int32_t line);

/* Take the exception that is set, which is handled from now on; *before is the one before. */
PyObject *cutaway_py_caught(PyObject **before);
void cutaway_py_end_handler(PyObject **before); /* which is handled again; NULL afterward */
int32_t cutaway_py_matches(PyObject *exception, PyObject *classes);
void cutaway_py_raise(PyObject *exception, PyObject *cause); /* the cause may be NULL */
void cutaway_py_reraise(PyObject *exception);
void cutaway_py_raise_current(PyObject *const *env, int32_t lasti, int32_t line);

/* The result of `__enter__`; in *leave the function to be called at the end, and in *self its first
   argument, or NULL.  If there is no place for that it is bound. */
PyObject *cutaway_py_enter(PyObject *manager, PyObject **leave, PyObject **self);
PyObject *cutaway_py_exit_with(PyObject *leave, PyObject *self, PyObject *exception);
int add_object_exceptions(void);

#endif
