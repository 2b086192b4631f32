/* The way of nearly all calls: all arguments by position, and of the types of the call before.

   It is one function for each number of arguments, written once and put in line with the number as
   a constant: no loop, no struct of arguments, nothing on the stack but slots.  A dispatcher's
   vectorcall field has the one for its parameters.  Whatever is different, keywords, arguments left
   out, a profiler, other types, goes to the way that every call can take (dispatcher.c). */

#include "dispatcher.h"
#include "entering.h"
#include "quick_guards.h"

static ALWAYS_INLINE PyObject *call_quickly(PyObject *callable, PyObject *const *args,
                                            size_t nargsf, PyObject *kwnames, Py_ssize_t count)
{
    Dispatcher *self = (Dispatcher *)callable;
    Specialization *spec = self->first;
    int64_t slots[STACK_SLOTS], *here = slots;
    const struct quick_guard *guard;

    if (RARELY(PyVectorcall_NARGS(nargsf) != count || kwnames || !spec || being_profiled()))
        return call_any(callable, args, nargsf, kwnames);
    guard = spec->quick;
#pragma GCC unroll 3
    for (Py_ssize_t k = 0; k < count; k++, guard++) {
        int64_t *behind = take_quickly(guard, args[k], here);
        if (RARELY(!behind)) {
            if (!unbox_slowly(spec, guard->n, args[k], here))
                return call_past_first(self, args, count);
            behind = here + guard->slots;
        }
        here = behind;
    }
    return enter(spec, slots, here, BY_GUARD);
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

    self->first = usual ? self->hot[0] : NULL;
}
