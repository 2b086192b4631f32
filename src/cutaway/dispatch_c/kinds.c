/* The kinds of values that cross between Python and compiled code: one row each.

   The letters are described in runtime/cutaway_runtime.h; besides its row a new kind needs the
   functions that the row names, and the same rule in reference_guards.py. */

#include "native.h"

/* --- the bytes after the letter ----------------------------------------------------------------- */

static int read_number(node *n, const unsigned char *text)
{
    int parts = n->kind == 'c' ? 2 : 1;

    n->bytes = *text == 'g' ? 16 : (unsigned char)(*text - '0');
    if (n->kind != 'c' && (n->bytes == 2 || (n->bytes == 1 && n->kind != 'f')))
        return 1;
    return n->bytes == 4 * parts || n->bytes == 8 * parts;
}

static int read_array(node *n, const unsigned char *text)
{
    n->type = text[0];
    n->count = text[1];
    n->layout = (char)text[2];
    n->flags = text[3];
    return n->count <= NPY_MAXDIMS;
}

static int read_buffer(node *n, const unsigned char *text)
{
    n->letter = (char)text[0];
    n->type = text[1];
    n->count = text[2];
    n->layout = (char)text[3];
    n->flags = text[4];
    if (!is_buffer_descriptor(n))
        return 0;
    return n->letter == 'r' && load_array_type() < 0 ? -1 : 1;
}

static int read_index(node *n, const unsigned char *text)
{
    n->count = text[0];
    return 1;
}

static int read_record(node *n, const unsigned char *text)
{
    n->count = text[0];
    n->flags = text[1] & 1;
    return 1;
}

static int read_extension(node *n, const unsigned char *text)
{
    n->type = text[0];
    n->count = text[1] | text[2] << 8;
    return 1;
}

static int read_slice(node *n, const unsigned char *text)
{
    n->flags = text[0];
    for (int k = 0; k < 3; k++)
        n->count += n->flags >> k & 1;
    return 1;
}

static int read_container(node *n, const unsigned char *text)
{
    n->flags = text[0];
    n->type = text[1];
    return 1;
}

static int read_class(node *n, const unsigned char *text)
{
    n->type = text[0];
    return 1;
}

static int read_composite(node *n, const unsigned char *text)
{
    n->type = text[0];
    n->bytes = text[1];
    return 1;
}

/* --- constants ---------------------------------------------------------------------------------- */

static PyObject *constant_at(PyObject *constants, int index)
{
    return index < PyTuple_GET_SIZE(constants) ? PyTuple_GET_ITEM(constants, index) : NULL;
}

static int refers_to_any(const node *n, PyObject *constants, int result)
{
    return constant_at(constants, n->count) != NULL;
}

static int refers_to_tuple(const node *n, PyObject *constants, int result)
{
    PyObject *constant = constant_at(constants, n->count);

    return constant && PyTuple_CheckExact(constant);
}

static int refers_to_class(const node *n, PyObject *constants, int result)
{
    PyObject *constant = constant_at(constants, n->count);

    return constant && PyType_Check(constant);
}

static int refers_to_dtype(const node *n, PyObject *constants, int result)
{
    PyObject *constant = constant_at(constants, n->kind == 'G' ? n->type : n->count);

    return constant && PyArray_DescrCheck(constant);
}

static int refers_to_time(const node *n, PyObject *constants, int result)
{
    return refers_to_dtype(n, constants, result) &&
           PyTypeNum_ISDATETIME(
               ((PyArray_Descr *)PyTuple_GET_ITEM(constants, n->count))->type_num);
}

static int refers_to_record(const node *n, PyObject *constants, int result)
{
    PyArray_Descr *dtype;

    if (!refers_to_dtype(n, constants, result))
        return 0;
    dtype = (PyArray_Descr *)PyTuple_GET_ITEM(constants, n->count);
    return dtype->type_num == NPY_VOID && PyDataType_HASFIELDS(dtype);
}

static int refers_to_extension(const node *n, PyObject *constants, int result)
{
    PyObject *constant = constant_at(constants, n->type);

    return constant && is_extension(constant, result);
}

static int refers_to_named(const node *n, PyObject *constants, int result)
{
    PyObject *cls = constant_at(constants, n->type);

    return cls && PyType_Check(cls) && PyType_IsSubtype((PyTypeObject *)cls, &PyTuple_Type);
}

static int refers_to_layout(const node *n, PyObject *constants, int result)
{
    PyObject *layout = constant_at(constants, n->type);

    return !(n->flags & NATIVE) || (layout && Py_IS_TYPE(layout, &LayoutType) &&
                                    ((native_layout *)layout)->kind == n->kind);
}

/* A class, and a name for each member. */
static int refers_to_composite(const node *n, PyObject *constants, int result)
{
    PyObject *cls = constant_at(constants, n->type), *names = constant_at(constants, n->bytes);

    if (!cls || !PyType_Check(cls) || !names || !PyTuple_CheckExact(names) ||
        PyTuple_GET_SIZE(names) != n->count)
        return 0;
    for (int k = 0; k < n->count; k++)
        if (!PyUnicode_CheckExact(PyTuple_GET_ITEM(names, k)))
            return 0;
    return 1;
}

/* --- the table ---------------------------------------------------------------------------------- */

/* bytes, slots, each, inside, read, refers, unbox, box */
const value_kind kinds[128] = {
    ['?'] = {0, 1, 0, 0, NULL, NULL, unbox_boolean, box_boolean},
    ['i'] = {1, 1, 0, 0, read_number, NULL, unbox_integer, box_signed},
    ['u'] = {1, 1, 0, 0, read_number, NULL, unbox_integer, box_unsigned},
    ['f'] = {1, 1, 0, 0, read_number, NULL, unbox_real, box_real},
    ['c'] = {1, 2, 0, 0, read_number, NULL, unbox_complex, box_complex},
    ['N'] = {0, 0, 0, 0, NULL, NULL, unbox_none, box_none},
    ['O'] = {0, 0, 0, 0, NULL, NULL, NULL, NULL}, /* only an absent argument */
    ['A'] = {4, 2, 2, 0, read_array, NULL, unbox_array, box_any_array},
    ['G'] = {4, 2, 2, 0, read_array, refers_to_dtype, unbox_array, box_any_array},
    ['D'] = {1, 1, 0, 0, read_index, refers_to_time, unbox_time, box_time},
    ['V'] = {2, 2, 0, 0, read_record, refers_to_record, unbox_record, box_record},
    ['Y'] = {1, 0, 0, 0, read_index, refers_to_dtype, unbox_dtype, box_dtype},
    ['X'] = {1, 1, 0, 0, read_index, refers_to_class, unbox_opaque, box_opaque},
    ['W'] = {0, 1, 0, 0, NULL, NULL, unbox_object, box_object},
    ['H'] = {2, 1, 0, ELSEWHERE, read_container, refers_to_layout, unbox_list, box_list},
    ['Q'] = {2, 1, 0, ELSEWHERE, read_container, refers_to_layout, unbox_set, box_table},
    ['I'] = {2, 1, 0, TWO_ELSEWHERE, read_container, refers_to_layout, unbox_dict, box_table},
    ['J'] = {0, 1, 0, TWO, NULL, NULL, unbox_generator, box_generator},
    ['('] = {0, 0, 0, ITEMS, NULL, NULL, unbox_items, box_items},
    ['T'] = {1, 0, 0, ITEMS, read_class, refers_to_named, unbox_items, box_items},
    ['P'] = {2, 0, 0, ITEMS, read_composite, refers_to_composite, unbox_composite, box_composite},
    ['M'] = {0, 1, 0, ONE, NULL, NULL, unbox_optional, box_optional},
    ['S'] = {1, 0, 1, 0, read_slice, NULL, unbox_slice, box_slice},
    ['R'] = {0, 3, 0, 0, NULL, NULL, unbox_range, box_range},
    ['K'] = {1, 0, 0, 0, read_index, refers_to_any, unbox_same, box_constant},
    ['L'] = {1, 0, 0, 0, read_index, refers_to_any, unbox_literal, box_constant},
    ['E'] = {1, 1, 0, 0, read_index, refers_to_tuple, unbox_choice, box_choice},
    ['U'] = {0, 4, 0, 0, NULL, NULL, unbox_string, box_any_string},
    ['B'] = {5, 2, 2, 0, read_buffer, NULL, unbox_buffer, box_any_buffer},
    ['Z'] = {3, 0, 1, 0, read_extension, refers_to_extension, unbox_extension, box_extension},
};
