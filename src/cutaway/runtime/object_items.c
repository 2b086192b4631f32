/* Items and containers of object mode. */

#include "objects.h"

/* The position that an index refers to in a sequence of `count` items; -1 if there is none. */
static inline Py_ssize_t place_of(PyObject *index, Py_ssize_t count)
{
    int64_t place;

    if (!PyLong_CheckExact(index) || !small_integer(index, &place))
        return -1;
    place += place < 0 ? count : 0;
    return place >= 0 && place < count ? (Py_ssize_t)place : -1;
}

PyObject *cutaway_py_getitem(PyObject *value, PyObject *index)
{
    PyObject *item;
    Py_ssize_t place;

    if (PyList_CheckExact(value) && (place = place_of(index, PyList_GET_SIZE(value))) >= 0 &&
        (item = item_at(value, place)))
        return item;
    if (PyTuple_CheckExact(value) && (place = place_of(index, PyTuple_GET_SIZE(value))) >= 0)
        return one_more(PyTuple_GET_ITEM(value, place));
    if (PyDict_CheckExact(value) && item_of(value, index, &item))
        return item;
    return PyObject_GetItem(value, index);
}

int32_t cutaway_py_setitem(PyObject *target, PyObject *index, PyObject *value)
{
    Py_ssize_t place;

    if (!FREE_THREADED && PyList_CheckExact(target) && (place = place_of(index, PyList_GET_SIZE(target))) >= 0) {
        PyObject *old = PyList_GET_ITEM(target, place);
        PyList_SET_ITEM(target, place, one_more(value));
        one_less(old);
        return 0;
    }
    if (PyDict_CheckExact(target))
        return PyDict_SetItem(target, index, value);
    return PyObject_SetItem(target, index, value);
}

PyObject *cutaway_py_item(PyObject *tuple, int64_t place)
{
    return one_more(PyTuple_GET_ITEM(tuple, (Py_ssize_t)place));
}

/* --- iteration --------------------------------------------------------------------------------- */

PyObject *cutaway_py_next(PyObject *iterator)
{
    return Py_TYPE(iterator)->tp_iternext(iterator);
}

int32_t cutaway_py_ended(void)
{
    if (!PyErr_Occurred())
        return 0;
    if (!PyErr_ExceptionMatches(PyExc_StopIteration))
        return -1;
    PyErr_Clear();
    return 0;
}

/* --- displays ---------------------------------------------------------------------------------- */

PyObject *cutaway_py_tuple(PyObject *const *items, int64_t count)
{
    PyObject *tuple = PyTuple_New((Py_ssize_t)count);

    for (Py_ssize_t k = 0; tuple && k < count; k++)
        PyTuple_SET_ITEM(tuple, k, one_more(items[k]));
    return tuple;
}

PyObject *cutaway_py_list(PyObject *const *items, int64_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);

    for (Py_ssize_t k = 0; list && k < count; k++)
        PyList_SET_ITEM(list, k, one_more(items[k]));
    return list;
}

PyObject *cutaway_py_set(PyObject *const *items, int64_t count)
{
    PyObject *set = PySet_New(NULL);

    for (Py_ssize_t k = 0; set && k < count; k++)
        if (PySet_Add(set, items[k]) < 0)
            Py_CLEAR(set);
    return set;
}

PyObject *cutaway_py_dict(PyObject *const *items, int64_t count)
{
    PyObject *dict = PyDict_New();

    for (Py_ssize_t k = 0; dict && k < count; k += 2)
        if (PyDict_SetItem(dict, items[k], items[k + 1]) < 0)
            Py_CLEAR(dict);
    return dict;
}

PyObject *cutaway_py_string(PyObject *const *pieces, int64_t count)
{
    PyObject *tuple = cutaway_py_tuple(pieces, count), *empty, *joined = NULL;

    empty = tuple ? PyUnicode_FromStringAndSize(NULL, 0) : NULL;
    if (empty)
        joined = PyUnicode_Join(empty, tuple);
    Py_XDECREF(empty);
    Py_XDECREF(tuple);
    return joined;
}

PyObject *cutaway_py_format(PyObject *value, PyObject *spec, int32_t conversion)
{
    PyObject *converted, *text;

    converted = conversion == 's'   ? PyObject_Str(value)
                : conversion == 'r' ? PyObject_Repr(value)
                : conversion == 'a' ? PyObject_ASCII(value)
                                    : one_more(value);
    if (!converted || (!spec && PyUnicode_CheckExact(converted)))
        return converted;
    text = PyObject_Format(converted, spec);
    Py_DECREF(converted);
    return text;
}

/* --- unpacking --------------------------------------------------------------------------------- */

static PyObject *iterator_of(PyObject *value)
{
    PyObject *iterator = PyObject_GetIter(value);

    if (!iterator && PyErr_ExceptionMatches(PyExc_TypeError) && !Py_TYPE(value)->tp_iter &&
        !PySequence_Check(value))
        PyErr_Format(PyExc_TypeError, "cannot unpack non-iterable %.200s object",
                     Py_TYPE(value)->tp_name);
    return iterator;
}

/* Append `count` items of an iterator to a list; -1 with an exception set. */
static int take_items(PyObject *iterator, PyObject *list, int64_t count)
{
    while (PyList_GET_SIZE(list) < count) {
        PyObject *item = PyIter_Next(iterator);
        int status;
        if (!item)
            return PyErr_Occurred() ? -1 : 0;
        status = PyList_Append(list, item);
        Py_DECREF(item);
        if (status < 0)
            return -1;
    }
    return 0;
}

static PyObject *wrong_count(const char *wanted, int64_t count, Py_ssize_t got)
{
    PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected %s%lld, got %zd)", wanted,
                 (long long)count, got);
    return NULL;
}

/* Raise the error of too many values; from 3.14 on Python reports the number of those that have a
   length: `got` is -1 for others. */
static PyObject *too_many(int64_t count, Py_ssize_t got)
{
    if (COUNTS_TOO_MANY && got >= 0)
        PyErr_Format(PyExc_ValueError, "too many values to unpack (expected %lld, got %zd)",
                     (long long)count, got);
    else
        PyErr_Format(PyExc_ValueError, "too many values to unpack (expected %lld)", (long long)count);
    return NULL;
}

/* The items of a tuple or a list, which exist already. */
static PyObject *unpack_known(PyObject *value, int64_t count)
{
    PyObject *tuple = PyTuple_CheckExact(value) ? one_more(value) : PyList_AsTuple(value);
    Py_ssize_t size = tuple ? PyTuple_GET_SIZE(tuple) : count;

    if (size == count)
        return tuple;
    Py_DECREF(tuple);
    return size < count ? wrong_count("", count, size) : too_many(count, size);
}

PyObject *cutaway_py_unpack(PyObject *value, int64_t count)
{
    PyObject *iterator, *list, *more, *tuple = NULL;

    if (PyTuple_CheckExact(value) || PyList_CheckExact(value))
        return unpack_known(value, count);
    if (!(iterator = iterator_of(value)))
        return NULL;
    list = PyList_New(0);
    if (list && take_items(iterator, list, count) == 0) {
        if (PyList_GET_SIZE(list) < count)
            wrong_count("", count, PyList_GET_SIZE(list));
        else if ((more = PyIter_Next(iterator))) {
            Py_DECREF(more);
            too_many(count, PyDict_CheckExact(value) ? PyDict_Size(value) : -1);
        }
        else if (!PyErr_Occurred())
            tuple = PyList_AsTuple(list);
    }
    Py_XDECREF(list);
    Py_DECREF(iterator);
    return tuple;
}

/* Rearrange all items in a list: the first few, a list of those between, and the last few. */
static PyObject *with_rest(PyObject *all, int64_t before, int64_t after)
{
    Py_ssize_t count = PyList_GET_SIZE(all), last = count - (Py_ssize_t)after;
    PyObject *tuple = PyTuple_New((Py_ssize_t)(before + 1 + after)), *rest;

    if (!tuple || !(rest = PyList_GetSlice(all, (Py_ssize_t)before, last))) {
        Py_XDECREF(tuple);
        return NULL;
    }
    for (Py_ssize_t k = 0; k < before; k++)
        PyTuple_SET_ITEM(tuple, k, one_more(PyList_GET_ITEM(all, k)));
    PyTuple_SET_ITEM(tuple, (Py_ssize_t)before, rest);
    for (Py_ssize_t k = last; k < count; k++)
        PyTuple_SET_ITEM(tuple, (Py_ssize_t)before + 1 + k - last, one_more(PyList_GET_ITEM(all, k)));
    return tuple;
}

PyObject *cutaway_py_unpack_star(PyObject *value, int64_t before, int64_t after)
{
    PyObject *iterator = iterator_of(value), *all, *tuple = NULL;
    int64_t least = before + after;

    if (!iterator)
        return NULL;
    all = PyList_New(0);
    /* as in Python the rest is only taken if the first ones exist */
    if (all && take_items(iterator, all, before) == 0) {
        if (PyList_GET_SIZE(all) < before)
            wrong_count("at least ", least, PyList_GET_SIZE(all));
        else if (take_items(iterator, all, PY_SSIZE_T_MAX) == 0) {
            if (PyList_GET_SIZE(all) < least)
                wrong_count("at least ", least, PyList_GET_SIZE(all));
            else
                tuple = with_rest(all, before, after);
        }
    }
    Py_XDECREF(all);
    Py_DECREF(iterator);
    return tuple;
}

/* --- updates ----------------------------------------------------------------------------------- */

int32_t cutaway_py_list_extend(PyObject *list, PyObject *items)
{
    static PyObject *extend;
    PyObject *none;

    if (PyList_CheckExact(items) || PyTuple_CheckExact(items))
        return PyList_SetSlice(list, PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, items);
    if (!extend && !(extend = PyUnicode_InternFromString("extend")))
        return -1;
    if ((none = PyObject_CallMethodOneArg(list, extend, items))) {
        Py_DECREF(none);
        return 0;
    }
    if (PyErr_ExceptionMatches(PyExc_TypeError) && !Py_TYPE(items)->tp_iter &&
        !PySequence_Check(items))
        PyErr_Format(PyExc_TypeError, "Value after * must be an iterable, not %.200s",
                     Py_TYPE(items)->tp_name);
    return -1;
}

int32_t cutaway_py_set_update(PyObject *set, PyObject *items)
{
    PyObject *iterator = PyObject_GetIter(items), *item;
    int status = iterator ? 0 : -1;

    while (status == 0 && (item = PyIter_Next(iterator))) {
        status = PySet_Add(set, item);
        Py_DECREF(item);
    }
    Py_XDECREF(iterator);
    return status < 0 || PyErr_Occurred() ? -1 : 0;
}

int32_t cutaway_py_dict_update(PyObject *dict, PyObject *items)
{
    if (PyDict_Update(dict, items) == 0)
        return 0;
    if (PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Format(PyExc_TypeError, "'%.200s' object is not a mapping", Py_TYPE(items)->tp_name);
    return -1;
}

static void refuse(const char *words, PyObject *function, PyObject *subject)
{
    PyObject *name;

    PyErr_Clear();
    if ((name = cutaway_py_function_name(function))) {
        PyErr_Format(PyExc_TypeError, words, name, subject);
        Py_DECREF(name);
    }
}

/* While an exception is handled, CPython 3.11 does not add the message for a duplicate key. */
static int has_no_words(void)
{
#if HANDLING_HIDES_WORDS
    PyObject *handled = PyErr_GetHandledException();
    int handles = handled && handled != Py_None;

    Py_XDECREF(handled);
    return handles;
#else
    return 0;
#endif
}

/* -1 with an exception set if a key exists already. */
static int require_new(PyObject *dict, PyObject *key, PyObject *function)
{
    int there = PyDict_Contains(dict, key);

    if (there > 0 && has_no_words())
        PyErr_SetObject(PyExc_KeyError, key);
    else if (there > 0)
        refuse("%U got multiple values for keyword argument '%S'", function, key);
    return there ? -1 : 0;
}

static int merge_dict(PyObject *dict, PyObject *items, PyObject *function)
{
    PyObject *key, *value, *own = FREE_THREADED ? PyDict_Copy(items) : Py_NewRef(items);
    Py_ssize_t place = 0;
    int status = own ? 0 : -1;

    while (status == 0 && PyDict_Next(own, &place, &key, &value))
        if (require_new(dict, key, function) < 0 || PyDict_SetItem(dict, key, value) < 0)
            status = -1;
    Py_XDECREF(own);
    return status;
}

static int merge_key(PyObject *dict, PyObject *items, PyObject *key, PyObject *function)
{
    int status = -1;
    PyObject *value;

    if (require_new(dict, key, function) < 0)
        return -1;
    value = PyObject_GetItem(items, key);
    if (value)
        status = PyDict_SetItem(dict, key, value);
    Py_XDECREF(value);
    return status;
}

int32_t cutaway_py_dict_merge(PyObject *dict, PyObject *items, PyObject *function)
{
    PyObject *keys, *iterator, *key, *kind;
    int status = 0;

    /* the `keys` of a subclass are used only if it overrides `__iter__` */
    if (PyDict_Check(items) && Py_TYPE(items)->tp_iter == PyDict_Type.tp_iter)
        return merge_dict(dict, items, function);
    keys = PyMapping_Keys(items);
    if (!keys && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        if ((kind = PyUnicode_FromString(Py_TYPE(items)->tp_name)))
            refuse("%U argument after ** must be a mapping, not %U", function, kind);
        Py_XDECREF(kind);
    }
    iterator = keys ? PyObject_GetIter(keys) : NULL;
    while (iterator && status == 0 && (key = PyIter_Next(iterator))) {
        status = merge_key(dict, items, key, function);
        Py_DECREF(key);
    }
    Py_XDECREF(iterator);
    Py_XDECREF(keys);
    return !iterator || status < 0 || PyErr_Occurred() ? -1 : 0;
}
