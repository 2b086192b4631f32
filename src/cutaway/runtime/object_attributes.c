/* Attributes of object mode: an inline cache at each place that looks one up.

   Python looks a name up in the class and its bases each time.  A class has a version number that
   changes when the class or one of its bases does, is 0 if it has none, and is never reused for
   another class: while it is the same, a name leads to the same object of the class.  So a place in
   the program caches the number and the object, without a reference. */

#include "objects.h"

#include <dlfcn.h>
#include <string.h>
#include <structmember.h>

/* The cached lookup of an attribute at a place, valid while the class has this number. */
typedef struct {
    uint32_t tag;
    uint16_t how, tries;
    union {
        PyObject *found;   /* borrowed: the class has it */
        Py_ssize_t offset; /* of an attribute without a dictionary */
    } value;
} known_attribute;

/* How a place accesses its attribute: by the general lookup; as PyObject_GenericGetAttr and
   PyObject_GenericSetAttr do; or by a faster path. */
enum { UNKNOWN, USUAL, AT_OFFSET, IN_MODULE, A_PROPERTY, A_METHOD };

/* At a place with many classes caching rarely pays: later it is tried only now and then. */
enum { FIRST_TRIES = 20, EACH = 64 };

static inline known_attribute *known_at(PyObject *const *env, int64_t place)
{
    return (known_attribute *)((PyByteArrayObject *)env[ENV_ATTRIBUTES])->ob_start + place;
}

/* --- classes ----------------------------------------------------------------------------------- */

PyObject *cutaway_in_class(PyTypeObject *type, PyObject *name)
{
    PyObject *mro = mro_of(type), *found = NULL;

    for (Py_ssize_t k = 0; !found && mro && k < PyTuple_GET_SIZE(mro); k++) {
        PyObject *dict = dict_of_class((PyTypeObject *)PyTuple_GET_ITEM(mro, k));
        if (dict) {
            item_of(dict, name, &found);
            Py_DECREF(dict);
        }
        if (PyErr_Occurred())
            Py_CLEAR(mro);
    }
    Py_XDECREF(mro);
    return found;
}

int cutaway_in_class_now(PyTypeObject *type, PyObject *name, PyObject **found)
{
    unsigned int tag = type->tp_version_tag;

    *found = NULL;
    if (FREE_THREADED) /* another thread may free it at any time */
        return 0;
    *found = cutaway_in_class(type, name);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return 0;
    }
    if (*found) {
        Py_DECREF(*found); /* the class holds it, or else its number has changed */
        if (type->tp_version_tag != tag)
            *found = NULL;
    }
    return tag && type->tp_version_tag == tag;
}

/* The offset of a member attribute with no other flags, and in no dictionary; 0 otherwise. */
static Py_ssize_t offset_in(PyTypeObject *type, PyObject *found, int flags)
{
    const PyMemberDef *member;

    if (!found || !Py_IS_TYPE(found, &PyMemberDescr_Type))
        return 0;
    member = ((PyMemberDescrObject *)found)->d_member;
    if (member->type != T_OBJECT_EX || member->flags & ~flags ||
        !PyType_IsSubtype(type, PyDescr_TYPE(found)))
        return 0;
    return member->offset;
}

static int has_dictionary(PyTypeObject *type)
{
    return type->tp_dictoffset != 0 || type->tp_flags & Py_TPFLAGS_MANAGED_DICT;
}

/* Decide how a place may cache the lookup of its name, which is this object in the class. */
typedef int judge(known_attribute *known, PyTypeObject *type, PyObject *found);

static int of_reading(known_attribute *known, PyTypeObject *type, PyObject *found)
{
    if (type == &PyModule_Type) /* names like __dict__ are the class's, all others the module's */
        return found ? UNKNOWN : IN_MODULE;
    if (type->tp_getattro != PyObject_GenericGetAttr)
        return UNKNOWN;
    if ((known->value.offset = offset_in(type, found, READONLY)))
        return AT_OFFSET;
    known->value.found = found;
    if (found && Py_IS_TYPE(found, &PyProperty_Type))
        return A_PROPERTY;
    if (found && !has_dictionary(type) &&
        PyType_HasFeature(Py_TYPE(found), Py_TPFLAGS_METHOD_DESCRIPTOR))
        return A_METHOD;
    return USUAL;
}

static int of_writing(known_attribute *known, PyTypeObject *type, PyObject *found)
{
    if (type->tp_setattro != PyObject_GenericSetAttr)
        return UNKNOWN;
    known->value.offset = offset_in(type, found, 0);
    return known->value.offset ? AT_OFFSET : USUAL;
}

/* The cached path for a class.  Without the GIL there is none: another thread could write the row,
   or change the class, while it is read. */
static inline int known_how(const known_attribute *known, PyTypeObject *type)
{
    if (FREE_THREADED)
        return UNKNOWN;
    return known->tag == type->tp_version_tag ? known->how : UNKNOWN;
}

/* Fill the cache for another class.  It may have no number yet: then it gets one right after. */
static __attribute__((noinline)) void learn(known_attribute *known, PyTypeObject *type,
                                            PyObject *name, judge *judged)
{
    PyObject *found;

    if (FREE_THREADED || known->tag == type->tp_version_tag || !type->tp_version_tag)
        return;
    if (known->tries++ >= FIRST_TRIES && known->tries % EACH)
        return;
    Py_INCREF(type);
    if (cutaway_in_class_now(type, name, &found)) {
        known->tag = type->tp_version_tag;
        known->how = (uint16_t)judged(known, type, found);
    }
    Py_DECREF(type);
}

/* --- reading ----------------------------------------------------------------------------------- */

/* The offset of a property's getter, from the table of its attributes. */
static Py_ssize_t getter_at;

static PyObject *by_property(PyObject *property, PyObject *value, PyObject *name)
{
    PyObject *get = getter_at ? *(PyObject **)((char *)property + getter_at) : NULL, *args[2], *result;

    if (!get || !Py_IS_TYPE(get, &PyFunction_Type))
        return PyObject_GenericGetAttr(value, name);
    args[1] = value;
    one_more(get);
    result = ((PyFunctionObject *)get)->vectorcall(get, args + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                                   NULL);
    one_less(get);
    return result;
}

/* An attribute from a module's dictionary; NULL without an exception if it is missing. */
static inline PyObject *of_module(PyObject *module, PyObject *name)
{
    PyObject *found;

    item_of(PyModule_GetDict(module), name, &found);
    return found;
}

static __attribute__((noinline)) PyObject *read_otherwise(known_attribute *known, PyObject *value,
                                                          PyObject *name)
{
    PyTypeObject *type = Py_TYPE(value);
    PyObject *found;

    switch (known_how(known, type)) {
    case IN_MODULE:
        if ((found = of_module(value, name)) || PyErr_Occurred())
            return found;
        break;
    case A_PROPERTY:
        return by_property(known->value.found, value, name);
    default:
        learn(known, type, name, of_reading);
    }
    if (type->tp_getattro == PyObject_GenericGetAttr)
        return PyObject_GenericGetAttr(value, name);
    return type->tp_getattro ? type->tp_getattro(value, name) : PyObject_GetAttr(value, name);
}

/* Add the object and the attribute's name to an AttributeError that lacks them. */
static __attribute__((noinline)) void explain(PyObject *value, PyObject *name)
{
    PyObject *type, *error, *traceback;
    PyAttributeErrorObject *known;

    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
        return;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    known = (PyAttributeErrorObject *)error;
    if (PyErr_GivenExceptionMatches(error, PyExc_AttributeError) && !known->name && !known->obj) {
        known->name = Py_NewRef(name);
        known->obj = Py_NewRef(value);
    }
    PyErr_Restore(type, error, traceback);
}

PyObject *cutaway_py_getattr(PyObject *const *env, PyObject *value, PyObject *name, int64_t place)
{
    known_attribute *known = known_at(env, place);
    int how = known_how(known, Py_TYPE(value));
    PyObject *found;

    if (how == AT_OFFSET && (found = *(PyObject **)((char *)value + known->value.offset)))
        return one_more(found);
    found = how == USUAL ? PyObject_GenericGetAttr(value, name) : read_otherwise(known, value, name);
    if (!found)
        explain(value, name);
    return found;
}

/* --- methods ----------------------------------------------------------------------------------- */

/* CPython's function that looks up a method without binding it; otherwise the method is bound. */
typedef int get_method(PyObject *value, PyObject *name, PyObject **method);

static int made_method(PyObject *value, PyObject *name, PyObject **method)
{
    *method = PyObject_GetAttr(value, name);
    return 0;
}

static get_method *method_getter = made_method;

PyObject *cutaway_py_method(PyObject *const *env, PyObject *value, PyObject *name, PyObject **self,
                            int64_t place)
{
    known_attribute *known = known_at(env, place);
    PyObject *method = NULL;

    *self = NULL;
    switch (known_how(known, Py_TYPE(value))) {
    case USUAL:
        break;
    case A_METHOD:
        *self = one_more(value);
        return one_more(known->value.found);
    case IN_MODULE:
        if ((method = of_module(value, name)) || PyErr_Occurred())
            return method;
        break;
    default:
        learn(known, Py_TYPE(value), name, of_reading);
    }
    if (method_getter(value, name, &method))
        *self = one_more(value);
    return method;
}

/* --- writing ----------------------------------------------------------------------------------- */

static inline void write_at(PyObject **slot, PyObject *value)
{
    PyObject *old = *slot;

    *slot = one_more(value);
    if (old)
        one_less(old);
}

static __attribute__((noinline)) int write_otherwise(known_attribute *known, PyObject *target,
                                                     PyObject *name, PyObject *value)
{
    setattrofunc set = Py_TYPE(target)->tp_setattro; /* names of code are interned */

    learn(known, Py_TYPE(target), name, of_writing);
    return set ? set(target, name, value) : PyObject_SetAttr(target, name, value);
}

int32_t cutaway_py_setattr(PyObject *const *env, PyObject *target, PyObject *name, PyObject *value,
                           int64_t place)
{
    known_attribute *known = known_at(env, place);
    int how = known_how(known, Py_TYPE(target));

    if (how == USUAL)
        return PyObject_GenericSetAttr(target, name, value);
    if (how != AT_OFFSET)
        return write_otherwise(known, target, name, value);
    write_at((PyObject **)((char *)target + known->value.offset), value);
    return 0;
}

int32_t cutaway_py_delattr(PyObject *target, PyObject *name)
{
    setattrofunc set = Py_TYPE(target)->tp_setattro;

    return set ? set(target, name, NULL) : PyObject_SetAttr(target, name, NULL);
}

/* --- initialization ---------------------------------------------------------------------------- */

void add_object_attributes(void)
{
    const PyMemberDef *member = PyProperty_Type.tp_members;
    void *own = dlsym(RTLD_DEFAULT, "_PyObject_GetMethod");

    if (own)
        *(void **)&method_getter = own;
    for (; member && member->name; member++)
        if (strcmp(member->name, "fget") == 0 && member->type == T_OBJECT)
            getter_at = member->offset;
}
