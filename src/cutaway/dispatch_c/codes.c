/* Type codes: the type of a value as a number (SPEC B2, B3).

   Three steps, the fast ones first: tables for Python's and NumPy's numbers and for arrays of them;
   the fingerprint, looked up in a hash table; and otherwise `typeof` in Python, whose answer is
   cached here.  Code 0 stands for a type that is not known yet. */

#include "dispatch.h"

#define TABLE_NDIM 5   /* arrays of up to this number of dimensions have a table */
#define TABLE_TYPES 18 /* NumPy's type numbers of bool and the numbers; the last is float16's */
#define MOST_FINGERPRINTS (1 << 16)

enum { OF_INT, OF_FLOAT, OF_COMPLEX, OF_BOOL, OF_NONE, PYTHON_CLASSES };
enum { BY_TABLE, BY_FINGERPRINT, BY_TYPEOF };

static int32_t python_codes[PYTHON_CLASSES];
static PyTypeObject *scalar_classes[TABLE_TYPES];
static int32_t scalar_codes[TABLE_TYPES];
static int32_t array_codes[TABLE_NDIM + 1][3][4][TABLE_TYPES];
static word_table fingerprint_codes = {.limit = MOST_FINGERPRINTS};

/* The table index of a type number: itself, except for float16, which is far from the other
   numbers; -1 if it is not a number. */
static int place_of_number(int type)
{
    if (type == NPY_HALF)
        return TABLE_TYPES - 1;
    return type < TABLE_TYPES - 1 ? plain_type(type) : -1;
}

/* The table entry for the code of an array of numbers; NULL for other arrays. */
static int32_t *place_of_array(PyArrayObject *array)
{
    PyArray_Descr *descr = PyArray_DESCR(array);
    int flags = PyArray_FLAGS(array), type = place_of_number(descr->type_num);
    int layout = flags & NPY_ARRAY_C_CONTIGUOUS ? 0 : flags & NPY_ARRAY_F_CONTIGUOUS ? 1 : 2;
    int access = !(flags & NPY_ARRAY_WRITEABLE) + 2 * !(flags & NPY_ARRAY_ALIGNED);

    if (PyArray_NDIM(array) > TABLE_NDIM || type < 0 ||
        descr->byteorder == NPY_OPPBYTE)
        return NULL;
    return &array_codes[PyArray_NDIM(array)][layout][access][type];
}

/* The table entry for the code of a value of a usual class; NULL for other values. */
static int32_t *place_of(PyObject *value)
{
    PyTypeObject *cls = Py_TYPE(value);

    if (cls == &PyLong_Type)
        return &python_codes[OF_INT];
    if (cls == &PyFloat_Type)
        return &python_codes[OF_FLOAT];
    if (cls == &PyArray_Type)
        return place_of_array((PyArrayObject *)value);
    if (cls == &PyBool_Type)
        return &python_codes[OF_BOOL];
    if (cls == &PyComplex_Type)
        return &python_codes[OF_COMPLEX];
    if (value == Py_None)
        return &python_codes[OF_NONE];
    for (int k = 0; k < TABLE_TYPES; k++)
        if (cls == scalar_classes[k])
            return &scalar_codes[k];
    return NULL;
}

static int32_t code_of_fingerprint(const fingerprint *f)
{
    return (int32_t)words_find(&fingerprint_codes, f->words, f->length);
}

int32_t code_of(PyObject *value)
{
    const int32_t *place = place_of(value);
    int32_t code = 0;
    fingerprint f;

    if (place)
        return SHARED(*place);
    begin_fingerprint(&f);
    if (put_value(&f, value, 0))
        code = code_of_fingerprint(&f);
    end_fingerprint(&f);
    return code;
}

int32_t code_of_tuple(PyObject *const *items, Py_ssize_t count)
{
    int32_t code = 0;
    fingerprint f;

    begin_fingerprint(&f);
    if (put_tuple_of(&f, items, count))
        code = code_of_fingerprint(&f);
    end_fingerprint(&f);
    return code;
}

/* Literal types have fingerprints of their own, in a table of their own. */
static word_table literal_codes;

int32_t code_of_literal(PyObject *value)
{
    int32_t code = 0;
    fingerprint f;

    begin_fingerprint(&f);
    if (put_literal(&f, value))
        code = (int32_t)words_find(&literal_codes, f.words, f.length);
    end_fingerprint(&f);
    return code;
}

/* Store the code of a value's type; returns the way of finding it from now on, -1 with an exception
   set. */
static int learn(PyObject *value, int32_t code)
{
    int32_t *place = place_of(value);
    int way = BY_TABLE;
    fingerprint f;

    if (place) {
        SHARE(*place, code);
        return way;
    }
    begin_fingerprint(&f);
    way = put_value(&f, value, 0) ? BY_FINGERPRINT : BY_TYPEOF;
    if (way == BY_FINGERPRINT &&
        words_set(&fingerprint_codes, f.words, f.length, (intptr_t)code) < 0)
        way = -1;
    end_fingerprint(&f);
    return way;
}

/* --- for Python ------------------------------------------------------------------------------ */

static PyObject *name_of_way(int way)
{
    static const char *const names[] = {"table", "fingerprint", "typeof"};

    return way < 0 ? NULL : PyUnicode_FromString(names[way]);
}

static PyObject *py_learn(PyObject *module, PyObject *args)
{
    PyObject *value;
    int code;

    if (!PyArg_ParseTuple(args, "Oi", &value, &code))
        return NULL;
    if (code <= 0) {
        PyErr_SetString(PyExc_ValueError, "a type code is positive");
        return NULL;
    }
    return name_of_way(learn(value, code));
}

static PyObject *py_learn_literal(PyObject *module, PyObject *args)
{
    PyObject *value;
    int code, done = 1;
    fingerprint f;

    if (!PyArg_ParseTuple(args, "Oi", &value, &code))
        return NULL;
    if (code <= 0) {
        PyErr_SetString(PyExc_ValueError, "a type code is positive");
        return NULL;
    }
    begin_fingerprint(&f);
    if (put_literal(&f, value))
        done = words_set(&literal_codes, f.words, f.length, (intptr_t)code) >= 0;
    end_fingerprint(&f);
    if (!done)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *py_fingerprint(PyObject *module, PyObject *value)
{
    PyObject *words = NULL;
    fingerprint f;

    begin_fingerprint(&f);
    if (put_value(&f, value, 0)) {
        words = PyTuple_New((Py_ssize_t)f.length);
        for (size_t k = 0; words && k < f.length; k++) {
            PyObject *word = PyLong_FromUnsignedLong(f.words[k]);
            if (!word)
                Py_CLEAR(words);
            else
                PyTuple_SET_ITEM(words, (Py_ssize_t)k, word);
        }
    }
    else {
        words = Py_None;
        Py_INCREF(words);
    }
    end_fingerprint(&f);
    return words;
}

static PyObject *py_code_of(PyObject *module, PyObject *value)
{
    int way = BY_TABLE;
    fingerprint f;

    if (!place_of(value)) {
        begin_fingerprint(&f);
        way = put_value(&f, value, 0) ? BY_FINGERPRINT : BY_TYPEOF;
        end_fingerprint(&f);
    }
    return Py_BuildValue("(iN)", (int)code_of(value), name_of_way(way));
}

static PyObject *py_forget_codes(PyObject *module, PyObject *unused)
{
    memset(python_codes, 0, sizeof(python_codes));
    memset(scalar_codes, 0, sizeof(scalar_codes));
    memset(array_codes, 0, sizeof(array_codes));
    words_clear(&fingerprint_codes);
    words_clear(&literal_codes);
    Py_RETURN_NONE;
}

static PyObject *py_named(PyObject *module, PyObject *number)
{
    unsigned long name = PyLong_AsUnsignedLong(number);

    if (name == (unsigned long)-1 && PyErr_Occurred())
        return NULL;
    return object_named((uint32_t)name);
}

static PyObject *py_register_class(PyObject *module, PyObject *args)
{
    PyObject *cls, *attributes;

    if (!PyArg_ParseTuple(args, "O!O", &PyType_Type, &cls, &attributes))
        return NULL;
    if (attributes == Py_None)
        attributes = NULL;
    else if (!PyTuple_Check(attributes)) {
        PyErr_SetString(PyExc_TypeError, "attributes are a tuple of names, or None");
        return NULL;
    }
    if (register_class(cls, attributes) < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef code_functions[] = {
    {"learn", py_learn, METH_VARARGS,
     "learn(value, code) -> way: store the code of a value's type.  It is looked up in a "
     "'table', by its 'fingerprint', or, if it has none, by 'typeof' each time."},
    {"learn_literal", py_learn_literal, METH_VARARGS,
     "learn_literal(value, code): store the code of the type that contains the value itself."},
    {"fingerprint", py_fingerprint, METH_O,
     "fingerprint(value) -> the words that its type depends on; None where it has none."},
    {"code_of", py_code_of, METH_O,
     "code_of(value) -> (code, way): the code of its type, 0 if unknown, and how it is looked up."},
    {"forget_codes", py_forget_codes, METH_NOARGS, "Forget all codes that were learned."},
    {"named", py_named, METH_O,
     "named(number) -> the object that the number stands for in fingerprints; None if it is gone."},
    {"register_class", py_register_class, METH_VARARGS,
     "register_class(cls, attributes): the type of an object of exactly this class depends on the "
     "types of these attributes, or with None on the object itself."},
    {NULL, NULL, 0, NULL},
};

void find_scalar_classes(void)
{
    scalar_classes[NPY_BOOL] = &PyBoolArrType_Type;
    scalar_classes[NPY_BYTE] = &PyByteArrType_Type;
    scalar_classes[NPY_UBYTE] = &PyUByteArrType_Type;
    scalar_classes[NPY_SHORT] = &PyShortArrType_Type;
    scalar_classes[NPY_USHORT] = &PyUShortArrType_Type;
    scalar_classes[NPY_INT] = &PyIntArrType_Type;
    scalar_classes[NPY_UINT] = &PyUIntArrType_Type;
    scalar_classes[NPY_LONG] = &PyLongArrType_Type;
    scalar_classes[NPY_ULONG] = &PyULongArrType_Type;
    scalar_classes[NPY_LONGLONG] = &PyLongLongArrType_Type;
    scalar_classes[NPY_ULONGLONG] = &PyULongLongArrType_Type;
    scalar_classes[TABLE_TYPES - 1] = &PyHalfArrType_Type;
    scalar_classes[NPY_FLOAT] = &PyFloatArrType_Type;
    scalar_classes[NPY_DOUBLE] = &PyDoubleArrType_Type;
    scalar_classes[NPY_LONGDOUBLE] = &PyLongDoubleArrType_Type;
    scalar_classes[NPY_CFLOAT] = &PyCFloatArrType_Type;
    scalar_classes[NPY_CDOUBLE] = &PyCDoubleArrType_Type;
    scalar_classes[NPY_CLONGDOUBLE] = &PyCLongDoubleArrType_Type;
}
