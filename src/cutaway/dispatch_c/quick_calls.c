/* The path of nearly all calls: all arguments are passed, with the types of the previous call.

   It is one function for each number of arguments, written once and inlined with the number as a
   constant: no loop, no struct of arguments, nothing on the stack but slots.  A dispatcher's
   vectorcall field is the one for its parameters.  In any other case, omitted arguments, a
   profiler, other types, the general path (dispatcher.c) takes over. */

#include "dispatcher.h"
#include "entering.h"
#include "quick_guards.h"

/* Call the first specialization with laid out arguments. */
static ALWAYS_INLINE PyObject *try_first(Dispatcher *self, Specialization *spec,
                                         PyObject *const *items, Py_ssize_t count)
{
    int64_t slots[STACK_SLOTS], *here = slots;
    const struct quick_guard *guard = spec->quick;

#pragma GCC unroll 3
    for (Py_ssize_t k = 0; k < count; k++, guard++) {
        int64_t *behind = take_quickly(guard, items[k], here);
        if (RARELY(!behind)) {
            if (!unbox_slowly(spec, guard->n, items[k], here))
                return call_past_first(self, items, count);
            behind = here + guard->slots;
        }
        here = behind;
    }
    return enter(spec, slots, here, BY_GUARD);
}

/* --- keywords ---------------------------------------------------------------------------------- */

static size_t place_of_order(PyObject *kwnames)
{
    return ((uintptr_t)kwnames >> 4) % KNOWN_ORDERS;
}

static void free_order(known_order *known)
{
    if (known)
        Py_DECREF(known->kwnames);
    PyMem_Free(known);
}

/* Without the GIL others may be reading the previous one, which stays then. */
static int may_learn(const Dispatcher *self, PyObject *kwnames)
{
    if (self->plain > MOST_ORDERED)
        return 0;
    return !FREE_THREADED || !SHARED(self->orders[place_of_order(kwnames)]);
}

void learn_order(Dispatcher *self, Py_ssize_t given, PyObject *kwnames)
{
    known_order *known, *before;

    if (!may_learn(self, kwnames) || !(known = PyMem_Malloc(sizeof(*known))))
        return; /* without room it is computed each time */
    for (Py_ssize_t k = 0; k < self->plain; k++) {
        Py_ssize_t place = k < given ? k : place_of(self, PyTuple_GET_ITEM(kwnames, k - given));
        known->order[place] = (unsigned char)k;
    }
    known->given = given;
    known->kwnames = Py_NewRef(kwnames);
    LOCK(self->lock);
    before = self->orders[place_of_order(kwnames)];
    if (before && FREE_THREADED) /* another thread was faster */
        before = known;
    else
        SHARE(self->orders[place_of_order(kwnames)], known);
    UNLOCK(self->lock);
    free_order(before);
}

void forget_orders(Dispatcher *self)
{
    for (int k = 0; k < KNOWN_ORDERS; k++)
        free_order(self->orders[k]);
}

static PyObject *call_in_order(PyObject *callable, PyObject *const *args, size_t nargsf,
                               PyObject *kwnames)
{
    Dispatcher *self = (Dispatcher *)callable;
    PyObject *laid[MOST_ORDERED];
    const known_order *known = SHARED(self->orders[place_of_order(kwnames)]);
    Specialization *first = SHARED(self->first);

    if (!known || !first || known->kwnames != kwnames ||
        known->given != PyVectorcall_NARGS(nargsf) || being_profiled())
        return call_any(callable, args, nargsf, kwnames);
    for (Py_ssize_t k = 0; k < self->plain; k++)
        laid[k] = args[known->order[k]];
    return try_first(self, first, laid, self->plain);
}

/* --- calls ------------------------------------------------------------------------------------- */

static ALWAYS_INLINE PyObject *call_quickly(PyObject *callable, PyObject *const *args,
                                            size_t nargsf, PyObject *kwnames, Py_ssize_t count)
{
    Dispatcher *self = (Dispatcher *)callable;
    Specialization *first;
    PyObject *value;

    begin_use();
    first = SHARED(self->first);
    if (RARELY(PyVectorcall_NARGS(nargsf) != count || kwnames || !first || being_profiled()))
        value = (kwnames ? call_in_order : call_any)(callable, args, nargsf, kwnames);
    else
        value = try_first(self, first, args, count);
    end_use();
    return value;
}

static PyObject *call_none(PyObject *callable, PyObject *const *args, size_t nargsf,
                           PyObject *kwnames)
{
    return call_quickly(callable, args, nargsf, kwnames, 0);
}

static PyObject *call_one(PyObject *callable, PyObject *const *args, size_t nargsf,
                          PyObject *kwnames)
{
    return call_quickly(callable, args, nargsf, kwnames, 1);
}

static PyObject *call_two(PyObject *callable, PyObject *const *args, size_t nargsf,
                          PyObject *kwnames)
{
    return call_quickly(callable, args, nargsf, kwnames, 2);
}

static PyObject *call_three(PyObject *callable, PyObject *const *args, size_t nargsf,
                            PyObject *kwnames)
{
    return call_quickly(callable, args, nargsf, kwnames, 3);
}

static PyObject *call_more(PyObject *callable, PyObject *const *args, size_t nargsf,
                           PyObject *kwnames)
{
    return call_quickly(callable, args, nargsf, kwnames, ((Dispatcher *)callable)->plain);
}

vectorcallfunc way_for(Py_ssize_t parameters)
{
    static const vectorcallfunc ways[] = {call_none, call_one, call_two, call_three};

    return parameters < (Py_ssize_t)Py_ARRAY_LENGTH(ways) ? ways[parameters] : call_more;
}

void find_first(Dispatcher *self)
{
    int usual = self->plain >= 0 && self->hot_count && self->patience && self->hot[0]->quick;

    SHARE(self->first, usual ? self->hot[0] : NULL);
}
