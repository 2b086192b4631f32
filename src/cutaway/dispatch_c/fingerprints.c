/* Fingerprints: what the type of a value depends on, as a short string of words (SPEC B3).

   A word is a letter in its lowest byte and a number above it; some letters are followed by more
   words.  Two values of different types never have the same fingerprint; two fingerprints may
   stand for one type.  Nothing here
   runs Python code, or raises.

     i f c ? N       int, float, complex, bool, None: of exactly these classes
     n <class>       a NumPy number
     M m <unit> <multiple>   datetime64, timedelta64
     V <class> < ... a record, numpy.void; then its dtype
     A <array> ...   an array: type number, dimensions, layout and flags in the same word; then
                     the unit, the length of texts or the dtype, where the number does not say it
     < <size> <class> ...    a dtype: type number and flags in the same word; then the unit; the
                     fields, { <entries> and <name> <offset> < ... for each; or the shape, * ...
     a <class> A ... an array of a subclass
     ( <count> ...   a tuple
     T <count> <class> ...   a tuple of a subclass
     [ <deque> ... ]   a list or a deque: each kind of items once, in the order in which they are met
     { ... ]         a set, in the same way
     : ... ] ... ]   a dict: kinds of keys, then of values
     l <kind> <type>   a native container, with its type's code; 0 while that is not determined
     R               a range
     S ...           a slice: start, stop, step
     s b B           str, bytes, bytearray
     v <flags> <dimensions> <format>   a memoryview
     y <format>      an array.array
     d < ...         a dtype as an argument
     E <class>       a member of an enumeration
     K <object>      this very function or class
     O <class> ...   an object of a registered class, and its attributes
     x <class>       a number or text of a subclass

   Classes and other objects are named by numbers that are never used again, so that nothing is
   wrong when an object dies and another one takes its address. */

#include "native.h"

#define MOST_WORDS 8192   /* of a fingerprint; a longer value goes to typeof each time */
#define DEEPEST 100       /* nesting of tuples, as in typing/values/typeof.py */

/* --- words ----------------------------------------------------------------------------------- */

static int put(fingerprint *f, uint32_t word)
{
    if (f->length == f->room) {
        size_t room = 2 * f->room;
        uint32_t *words = f->words == f->fixed ? NULL : f->words;
        if (room > MOST_WORDS || !(words = PyMem_Realloc(words, room * sizeof(*words))))
            return 0;
        if (f->words == f->fixed)
            memcpy(words, f->fixed, f->length * sizeof(*words));
        f->words = words;
        f->room = room;
    }
    f->words[f->length++] = word;
    return 1;
}

static int put_letter(fingerprint *f, char letter, size_t number)
{
    return number < 1u << 24 && put(f, (uint32_t)(unsigned char)letter | (uint32_t)number << 8);
}

static int put_name(fingerprint *f, PyObject *object)
{
    uint32_t name = name_of(object);

    return name && put(f, name);
}

static int put_class(fingerprint *f, char letter, PyObject *value)
{
    return put_letter(f, letter, 0) && put_name(f, (PyObject *)Py_TYPE(value));
}

static int put_text(fingerprint *f, const char *text)
{
    size_t length = strlen(text);

    if (!put(f, (uint32_t)length))
        return 0;
    for (size_t k = 0; k < length; k += 4) {
        uint32_t word = 0;
        memcpy(&word, text + k, Py_MIN((size_t)4, length - k));
        if (!put(f, word))
            return 0;
    }
    return 1;
}

/* --- NumPy ----------------------------------------------------------------------------------- */

static int put_dtype(fingerprint *f, PyArray_Descr *descr, int depth);

static int put_unit(fingerprint *f, PyArray_Descr *descr)
{
    const PyArray_DatetimeMetaData *unit =
        &((PyArray_DatetimeDTypeMetaData *)PyDataType_C_METADATA(descr))->meta;

    return put(f, (uint32_t)unit->base) && put(f, (uint32_t)unit->num);
}

static int put_fields(fingerprint *f, PyArray_Descr *descr, int depth)
{
    PyObject *names = PyDataType_NAMES(descr), *fields = PyDataType_FIELDS(descr);

    if (!put_letter(f, '{', (size_t)PyTuple_GET_SIZE(names)) ||
        !put(f, (uint32_t)PyDict_GET_SIZE(fields))) /* a field with a title is listed twice */
        return 0;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); k++) {
        PyObject *name = PyTuple_GET_ITEM(names, k), *field = NULL;
        const char *text = NULL;
        if (PyUnicode_CheckExact(name)) { /* another class could run Python code */
            field = PyDict_GetItemWithError(fields, name); /* (dtype, offset[, title]) */
            text = PyUnicode_AsUTF8(name);
        }
        if (!field || !text || !put_text(f, text) ||
            !put(f, (uint32_t)PyLong_AsUnsignedLongMask(PyTuple_GET_ITEM(field, 1))) ||
            !put_dtype(f, (PyArray_Descr *)PyTuple_GET_ITEM(field, 0), depth + 1))
            return 0;
    }
    return 1;
}

static int put_subarray(fingerprint *f, PyArray_Descr *descr, int depth)
{
    PyObject *shape = PyDataType_SUBARRAY(descr)->shape;

    if (!put_letter(f, '*', (size_t)PyTuple_GET_SIZE(shape)))
        return 0;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(shape); k++)
        if (!put(f, (uint32_t)PyLong_AsUnsignedLongMask(PyTuple_GET_ITEM(shape, k))))
            return 0;
    return put_dtype(f, PyDataType_SUBARRAY(descr)->base, depth + 1);
}

/* Add all properties of a dtype; not the dtype itself, whose fields can be renamed in place. */
static int put_dtype(fingerprint *f, PyArray_Descr *descr, int depth)
{
    if (depth > DEEPEST || descr->type_num >= NPY_USERDEF || descr->type_num < 0)
        return 0;
    if (!put_letter(f, '<', (size_t)descr->type_num | (descr->byteorder == NPY_OPPBYTE) << 8 |
                            (PyDataType_FLAGCHK(descr, NPY_ALIGNED_STRUCT) != 0) << 9 |
                            (PyDataType_NAMES(descr) != NULL) << 10 |
                            (PyDataType_HASSUBARRAY(descr) != 0) << 11) ||
        !put(f, (uint32_t)PyDataType_ELSIZE(descr)) ||
        !put_name(f, (PyObject *)descr->typeobj))
        return 0;
    if (PyTypeNum_ISDATETIME(descr->type_num))
        return put_unit(f, descr);
    if (PyDataType_HASSUBARRAY(descr))
        return put_subarray(f, descr, depth);
    return !PyDataType_NAMES(descr) || put_fields(f, descr, depth);
}

static int put_array(fingerprint *f, PyArrayObject *array)
{
    PyArray_Descr *descr = PyArray_DESCR(array);
    int type = plain_type(descr->type_num), flags = PyArray_FLAGS(array);
    int layout = flags & NPY_ARRAY_C_CONTIGUOUS ? 0 : flags & NPY_ARRAY_F_CONTIGUOUS ? 1 : 2;

    if (type < 0 || type >= NPY_USERDEF)
        return 0;
    if (!put_letter(f, 'A', (size_t)type | (size_t)PyArray_NDIM(array) << 8 |
                            (size_t)layout << 15 | (size_t)!(flags & NPY_ARRAY_WRITEABLE) << 17 |
                            (size_t)!(flags & NPY_ARRAY_ALIGNED) << 18 |
                            (size_t)(descr->byteorder == NPY_OPPBYTE) << 19))
        return 0;
    if (PyTypeNum_ISDATETIME(type))
        return put_unit(f, descr);
    if (type == NPY_VOID)
        return put_dtype(f, descr, 0);
    return !PyTypeNum_ISFLEXIBLE(type) || put(f, (uint32_t)PyDataType_ELSIZE(descr));
}

static int put_scalar(fingerprint *f, PyObject *value)
{
    PyArray_Descr *descr;
    int done;

    if (PyArray_IsScalar(value, Number) || PyArray_IsScalar(value, Bool) ||
        PyArray_IsScalar(value, Datetime)) {
        if (!PyArray_IsScalar(value, Datetime) && !PyArray_IsScalar(value, Timedelta))
            return put_class(f, 'n', value);
        descr = PyArray_DescrFromScalar(value);
        done = descr && put_class(f, PyArray_IsScalar(value, Datetime) ? 'M' : 'm', value) &&
               put_unit(f, descr);
        Py_XDECREF(descr);
        return done;
    }
    if (PyArray_IsScalar(value, Void))
        return put_letter(f, 'V',
                          !(((PyVoidScalarObject *)value)->flags & NPY_ARRAY_WRITEABLE)) &&
               put_name(f, (PyObject *)Py_TYPE(value)) &&
               put_dtype(f, (PyArray_Descr *)((PyVoidScalarObject *)value)->descr, 0);
    return 0;
}

/* --- Python ---------------------------------------------------------------------------------- */

static PyTypeObject *enum_class, *numpy_function_class;

static PyObject *imported(const char *module_name, const char *name)
{
    PyObject *module = PyImport_ImportModule(module_name);
    PyObject *found = module ? PyObject_GetAttrString(module, name) : NULL;

    Py_XDECREF(module);
    return found;
}

PyTypeObject *deque_class;

/* Classes that are looked up in their modules are kept for good. */
int find_classes(void)
{
    PyObject *sum = imported("numpy", "sum");

    enum_class = (PyTypeObject *)imported("enum", "EnumMeta");
    deque_class = (PyTypeObject *)imported("collections", "deque");
    if (!sum || !enum_class || !deque_class)
        return -1;
    numpy_function_class = Py_TYPE(sum); /* of functions that are written in Python */
    Py_INCREF(numpy_function_class);
    Py_DECREF(sum);
    return 0;
}

static int put_items(fingerprint *f, PyObject *const *items, Py_ssize_t count, int depth)
{
    for (Py_ssize_t k = 0; k < count; k++)
        if (!put_value(f, items[k], depth + 1))
            return 0;
    return 1;
}

int put_tuple_of(fingerprint *f, PyObject *const *items, Py_ssize_t count)
{
    return put_letter(f, '(', (size_t)count) && put_items(f, items, count, 0);
}

static int put_tuple(fingerprint *f, PyObject *value, int depth)
{
    size_t count = (size_t)PyTuple_GET_SIZE(value);

    if (depth > DEEPEST || !put_letter(f, PyTuple_CheckExact(value) ? '(' : 'T', count))
        return 0;
    if (!PyTuple_CheckExact(value) && !put_name(f, (PyObject *)Py_TYPE(value)))
        return 0;
    return put_items(f, ((PyTupleObject *)value)->ob_item, (Py_ssize_t)count, depth);
}

enum { MOST_KINDS = 8 }; /* of items in a list */

/* The words of an item, unless another item had the same. */
static int put_kind(fingerprint *f, PyObject *item, size_t *starts, int *kinds, int depth)
{
    size_t start = f->length, length;

    if (*kinds == MOST_KINDS || !put_value(f, item, depth + 1))
        return 0;
    length = f->length - start;
    for (int k = 0; k < *kinds; k++) {
        size_t end = k + 1 < *kinds ? starts[k + 1] : start;
        if (end - starts[k] == length &&
            memcmp(f->words + starts[k], f->words + start, length * sizeof(*f->words)) == 0) {
            f->length = start;
            return 1;
        }
    }
    starts[(*kinds)++] = start;
    return 1;
}

static int put_list(fingerprint *f, PyObject *list, int depth, int is_deque)
{
    size_t starts[MOST_KINDS];
    int kinds = 0;
    PyTypeObject *plain = NULL; /* the class of the item before, where that says all */

    if (depth > DEEPEST || !put_letter(f, '[', (size_t)is_deque))
        return 0;
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(list); k++) {
        PyObject *item = PyList_GET_ITEM(list, k);
        if (Py_TYPE(item) == plain)
            continue;
        if (!put_kind(f, item, starts, &kinds, depth))
            return 0;
        plain = PyFloat_CheckExact(item) || PyLong_CheckExact(item) || PyUnicode_CheckExact(item) ||
                        PyComplex_CheckExact(item) || PyBool_Check(item)
                    ? Py_TYPE(item)
                    : NULL;
    }
    return put_letter(f, ']', 0);
}

static int put_deque(fingerprint *f, PyObject *value, int depth)
{
    PyObject *items = PySequence_List(value);
    int done = items && put_list(f, items, depth, 1);

    if (!items)
        PyErr_Clear();
    Py_XDECREF(items);
    return done;
}

static int put_set(fingerprint *f, PyObject *set, int depth)
{
    size_t starts[MOST_KINDS];
    int kinds = 0;
    PyObject *item;
    Py_ssize_t place = 0;
    Py_hash_t hash;

    if (depth > DEEPEST || !put_letter(f, '{', PyFrozenSet_CheckExact(set)))
        return 0;
    while (_PySet_NextEntry(set, &place, &item, &hash))
        if (!put_kind(f, item, starts, &kinds, depth))
            return 0;
    return put_letter(f, ']', 0);
}

static int put_dict(fingerprint *f, PyObject *dict, int depth)
{
    if (depth > DEEPEST || !put_letter(f, ':', 0))
        return 0;
    for (int part = 0; part < 2; part++) {
        size_t starts[MOST_KINDS];
        int kinds = 0;
        PyObject *pair[2];
        Py_ssize_t place = 0;
        while (PyDict_Next(dict, &place, &pair[0], &pair[1]))
            if (!put_kind(f, pair[part], starts, &kinds, depth))
                return 0;
        if (!put_letter(f, ']', 0))
            return 0;
    }
    return 1;
}

static int put_slice(fingerprint *f, PyObject *value, int depth)
{
    PySliceObject *slice = (PySliceObject *)value;
    PyObject *parts[3] = {slice->start, slice->stop, slice->step};

    return put_letter(f, 'S', 0) && put_items(f, parts, 3, depth);
}

static int put_memoryview(fingerprint *f, PyObject *value)
{
    const Py_buffer *view = PyMemoryView_GET_BUFFER(value);
    int flags = ((PyMemoryViewObject *)value)->flags;

    if (flags & _Py_MEMORYVIEW_RELEASED || ((PyMemoryViewObject *)value)->mbuf->flags)
        return 0;
    return put_letter(f, 'v', (size_t)(view->readonly != 0) | (size_t)(flags & 0xff) << 1) &&
           put(f, (uint32_t)view->ndim) && put(f, (uint32_t)view->itemsize) &&
           put_text(f, view->format ? view->format : "B");
}

/* Whether a value is an array.array; the class is loaded when a similar value is met. */
static int is_python_array(PyObject *value)
{
    if (!array_type && !strcmp(Py_TYPE(value)->tp_name, "array.array") && load_array_type() < 0)
        PyErr_Clear();
    return Py_IS_TYPE(value, array_type);
}

static int put_python_array(fingerprint *f, PyObject *value)
{
    Py_buffer view;
    int done;

    if (PyObject_GetBuffer(value, &view, PyBUF_FORMAT) < 0) {
        PyErr_Clear();
        return 0;
    }
    done = put_letter(f, 'y', 0) && put_text(f, view.format);
    PyBuffer_Release(&view);
    return done;
}

static int is_function(PyObject *value)
{
    return PyCFunction_Check(value) || Py_IS_TYPE(value, &DispatcherType) ||
           Py_IS_TYPE(value, &PyUFunc_Type) || Py_IS_TYPE(value, numpy_function_class) ||
           PyType_Check(value);
}

/* --- classes of extensions (SPEC D8) --------------------------------------------------------- */

typedef struct {
    PyObject *attributes; /* attributes that determine the type; NULL: each object is a type */
} class_rule;

static word_table class_rules;

int register_class(PyObject *cls, PyObject *attributes)
{
    uint32_t name = name_of(cls);
    class_rule *rule = (class_rule *)(name ? words_find(&class_rules, &name, 1) : 0);

    if (!rule && (!name || !(rule = PyMem_Calloc(1, sizeof(*rule))))) {
        PyErr_NoMemory();
        return -1;
    }
    Py_XINCREF(attributes);
    if (FREE_THREADED)
        SHARE(rule->attributes, attributes); /* others may be reading the old ones, which stay */
    else
        Py_XSETREF(rule->attributes, attributes);
    return words_set(&class_rules, &name, 1, (intptr_t)rule);
}

static const class_rule *rule_of(PyTypeObject *cls)
{
    uint32_t name;

    if (!SHARED(class_rules.now))
        return NULL;
    name = name_of((PyObject *)cls);
    return (const class_rule *)(name ? words_find(&class_rules, &name, 1) : 0);
}

/* Attributes are read directly from slots or from the object's dict. */
static int put_registered(fingerprint *f, const class_rule *rule, PyObject *value, int depth)
{
    PyObject *names = SHARED(rule->attributes);

    if (!names)
        return put_letter(f, 'K', 0) && put_name(f, value);
    if (depth > DEEPEST || !put_class(f, 'O', value))
        return 0;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); k++) {
        PyObject *part = PyObject_GenericGetAttr(value, PyTuple_GET_ITEM(names, k));
        int done = part && put_value(f, part, depth + 1);
        Py_XDECREF(part);
        if (!done) {
            PyErr_Clear();
            return 0;
        }
    }
    return 1;
}

/* Add a value of a subclass of a Python class, or of a registered class. */
static int put_unusual(fingerprint *f, PyObject *value, int depth)
{
    PyTypeObject *cls = Py_TYPE(value);
    const class_rule *rule;

    if (is_native(value))
        return put_letter(f, 'l', (size_t)kind_of_native(value)) && put(f, code_of_native(value));
    rule = rule_of(cls);
    if (rule)
        return put_registered(f, rule, value, depth);
    if (enum_class && PyType_IsSubtype(Py_TYPE(cls), enum_class))
        return put_class(f, 'E', value);
    if (PyArray_IsScalar(value, Generic))
        return put_scalar(f, value);
    if (PyTuple_Check(value))
        return put_tuple(f, value, depth);
    if (PyArray_Check(value))
        return put_class(f, 'a', value) && put_array(f, (PyArrayObject *)value);
    if (is_function(value))
        return put_letter(f, 'K', 0) && put_name(f, value);
    if (PyArray_DescrCheck(value))
        return put_letter(f, 'd', 0) && put_dtype(f, (PyArray_Descr *)value, 0);
    if (is_python_array(value))
        return put_python_array(f, value);
    if (PyLong_Check(value) || PyFloat_Check(value) || PyComplex_Check(value))
        return put_class(f, 'x', value);
    return 0;
}

static int put_any(fingerprint *f, PyObject *value, int depth)
{
    if (PyLong_CheckExact(value))
        return put_letter(f, 'i', 0);
    if (PyFloat_CheckExact(value))
        return put_letter(f, 'f', 0);
    if (PyArray_CheckExact(value))
        return put_array(f, (PyArrayObject *)value);
    if (PyTuple_CheckExact(value))
        return put_tuple(f, value, depth);
    if (PyList_CheckExact(value))
        return put_list(f, value, depth, 0);
    if (PyDict_CheckExact(value))
        return put_dict(f, value, depth);
    if (PyAnySet_CheckExact(value))
        return put_set(f, value, depth);
    if (Py_IS_TYPE(value, deque_class))
        return put_deque(f, value, depth);
    if (value == Py_None)
        return put_letter(f, 'N', 0);
    if (PyBool_Check(value))
        return put_letter(f, '?', 0);
    if (PyComplex_CheckExact(value))
        return put_letter(f, 'c', 0);
    if (PyUnicode_CheckExact(value))
        return put_letter(f, 's', 0);
    if (PyBytes_CheckExact(value))
        return put_letter(f, 'b', 0);
    if (PyByteArray_CheckExact(value))
        return put_letter(f, 'B', 0);
    if (PySlice_Check(value))
        return put_slice(f, value, depth);
    if (PyRange_Check(value))
        return put_letter(f, 'R', 0);
    if (PyMemoryView_Check(value))
        return put_memoryview(f, value);
    if (value == Py_Ellipsis)
        return put_letter(f, '.', 0);
    return put_unusual(f, value, depth);
}

int put_value(fingerprint *f, PyObject *value, int depth)
{
    int done = put_any(f, value, depth);

    if (!done && !depth)
        PyErr_Clear(); /* for instance a name that is not a text */
    return done;
}

static int put_bytes(fingerprint *f, const char *bytes, Py_ssize_t size)
{
    if (size < 0 || size > (Py_ssize_t)MOST_WORDS || !put(f, (uint32_t)size))
        return 0;
    for (Py_ssize_t k = 0; k < size; k += 4) {
        uint32_t word = 0;
        memcpy(&word, bytes + k, (size_t)Py_MIN((Py_ssize_t)4, size - k));
        if (!put(f, word))
            return 0;
    }
    return 1;
}

int put_literal(fingerprint *f, PyObject *value)
{
    int overflow, done;
    int64_t number;
    const char *text;
    Py_ssize_t size;

    if (PyBool_Check(value))
        return put_letter(f, '?', 0) && put(f, value == Py_True);
    if (PyLong_CheckExact(value)) {
        number = PyLong_AsLongLongAndOverflow(value, &overflow);
        return !overflow && put_letter(f, 'i', 0) && put(f, (uint32_t)number) &&
               put(f, (uint32_t)((uint64_t)number >> 32));
    }
    if (PyBytes_CheckExact(value))
        return put_letter(f, 'b', 0) &&
               put_bytes(f, PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value));
    if (!PyUnicode_CheckExact(value))
        return 0;
    text = PyUnicode_AsUTF8AndSize(value, &size);
    done = text && put_letter(f, 's', 0) && put_bytes(f, text, size);
    if (!text)
        PyErr_Clear(); /* for instance a lone surrogate */
    return done;
}

void begin_fingerprint(fingerprint *f)
{
    f->words = f->fixed;
    f->length = 0;
    f->room = sizeof(f->fixed) / sizeof(*f->fixed);
}

void end_fingerprint(fingerprint *f)
{
    if (f->words != f->fixed)
        PyMem_Free(f->words);
}
