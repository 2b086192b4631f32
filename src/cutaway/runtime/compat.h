/* The differences between the versions of CPython, for all of the C code: no other file checks the
   version.  Each difference has a name here; a new Python gets its rows in this file. */

#ifndef CUTAWAY_COMPAT_H
#define CUTAWAY_COMPAT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdint.h>

#if PY_VERSION_HEX < 0x030B0000
#error "Cutaway needs Python 3.11 or later"
#endif
#ifdef Py_GIL_DISABLED
#define FREE_THREADED 1
#if PY_VERSION_HEX < 0x030E0000
#error "Cutaway needs Python 3.14 or later where that is free-threaded: use the usual build"
#endif
#else
#define FREE_THREADED 0
#endif

/* --- features from 3.12 on -------------------------------------------------------------------------- */

#define HAS_MONITORING (PY_VERSION_HEX >= 0x030C0000)       /* sys.monitoring */
#define HAS_TYPE_PARAMS (PY_VERSION_HEX >= 0x030C0000)      /* `def f[T](x)` */
#define HAS_DICT_WATCHERS (PY_VERSION_HEX >= 0x030C0000)    /* PyDict_Watch */
#define HAS_EXCEPTION_OBJECTS (PY_VERSION_HEX >= 0x030C0000) /* an exception is one object */
#define HAS_THREADS_OWN_STATE (PY_VERSION_HEX >= 0x030C0000) /* the state is this thread's */
#define HAS_NAME_FROM (PY_VERSION_HEX >= 0x030C0000)        /* `ImportError.name_from` */

/* --- different behavior ----------------------------------------------------------------------------- */

#define THROW_WARNS_OF_THREE (PY_VERSION_HEX >= 0x030C0000)  /* generator.throw(type, exc, tb) */
#define CLOSE_GIVES_VALUE (PY_VERSION_HEX >= 0x030D0000)     /* generator.close() */
#define NORM_DIVIDES_TINY (PY_VERSION_HEX < 0x030C0000)      /* math.hypot, math.dist */
#define COUNTS_TOO_MANY (PY_VERSION_HEX >= 0x030E0000)       /* values to unpack */
#define LOOKS_UP_EXIT_FIRST (PY_VERSION_HEX >= 0x030E0000)   /* `with`: __exit__ before __enter__ */
#define HANDLING_HIDES_WORDS (PY_VERSION_HEX < 0x030C0000)   /* of a keyword given twice */

#if PY_VERSION_HEX >= 0x030C0000
#define NO_CLASS_IN_PATTERN "called match pattern must be a class"
#else
#define NO_CLASS_IN_PATTERN "called match pattern must be a type"
#endif

/* --- objects that several threads change -------------------------------------------------------------- */

#if PY_VERSION_HEX >= 0x030D0000
#define BEGIN_CRITICAL_SECTION(object) Py_BEGIN_CRITICAL_SECTION(object)
#define END_CRITICAL_SECTION() Py_END_CRITICAL_SECTION()
#else
#define BEGIN_CRITICAL_SECTION(object) {
#define END_CRITICAL_SECTION() }
#endif

/* --- strings, classes, threads --------------------------------------------------------------------- */

/* Make a string's characters available to PyUnicode_DATA: converts one of the old C interface. */
static inline int ready_text(PyObject *text)
{
#if PY_VERSION_HEX >= 0x030C0000
    return 0;
#else
    return PyUnicode_READY(text);
#endif
}

/* The dictionary of a class; a new reference, or NULL. */
static inline PyObject *dict_of_class(PyTypeObject *type)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyType_GetDict(type);
#else
    return Py_XNewRef(type->tp_dict);
#endif
}

/* The classes in which attributes are looked up, a tuple; a new reference, or NULL. */
static inline PyObject *mro_of(PyTypeObject *type)
{
#if FREE_THREADED
    static PyMemberDef mro = {"__mro__", _Py_T_OBJECT, offsetof(PyTypeObject, tp_mro), Py_READONLY,
                              NULL};
    return PyMember_GetOne((const char *)type, &mro);
#else
    return Py_XNewRef(type->tp_mro);
#endif
}

/* The state of the running thread; NULL without the GIL. */
static inline PyThreadState *running_state(void)
{
#if PY_VERSION_HEX >= 0x030D0000
    return PyThreadState_GetUnchecked();
#else
    return _PyThreadState_UncheckedGet();
#endif
}

/* Whether an exception is set in a thread, which need not hold the GIL. */
static inline int has_exception(const PyThreadState *thread)
{
#if PY_VERSION_HEX >= 0x030C0000
    return thread->current_exception != NULL;
#else
    return thread->curexc_type != NULL;
#endif
}

/* --- threads without the GIL ------------------------------------------------------------------------ */

/* Fields of the dispatcher and the tables that threads share.  A field that is read without a lock
   is read and written by these two macros; the object that it points to is complete before, and
   does not change afterward.  With the GIL they are plain accesses, and there are no locks. */
#if FREE_THREADED
#define SHARED(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#define SHARE(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELEASE)
typedef PyMutex thread_lock;
#define LOCK(lock) PyMutex_Lock(&(lock))
#define UNLOCK(lock) PyMutex_Unlock(&(lock))
#define BEGIN_SECTION(object) Py_BEGIN_CRITICAL_SECTION(object)
#define END_SECTION() Py_END_CRITICAL_SECTION()
#else
#define SHARED(field) (field)
#define SHARE(field, value) ((field) = (value))
typedef struct {
    char unused;
} thread_lock;
#define LOCK(lock) ((void)&(lock))
#define UNLOCK(lock) ((void)&(lock))
#define BEGIN_SECTION(object) {
#define END_SECTION() }
#endif

/* A new reference to an object that may be about to be freed, by one who can prevent its memory from
   being reused meanwhile; 0 where it is too late. */
static inline int take_if_alive(PyObject *object)
{
#if FREE_THREADED
    return PyUnstable_TryIncRef(object);
#else
    Py_INCREF(object);
    return 1;
#endif
}

/* Prepare a new object for that. */
static inline void may_be_taken(PyObject *object)
{
#if FREE_THREADED
    PyUnstable_EnableTryIncRef(object);
#else
    (void)object;
#endif
}

/* Set a flag that marks work in progress; 0 where it was set already. */
static inline int begin_alone(int *flag)
{
#if FREE_THREADED
    return !__atomic_exchange_n(flag, 1, __ATOMIC_ACQUIRE);
#else
    if (*flag)
        return 0;
    *flag = 1;
    return 1;
#endif
}

static inline void end_alone(int *flag)
{
    SHARE(*flag, 0);
}

/* Increment a counter. */
static inline void count_one(unsigned long long *number)
{
#if FREE_THREADED
    __atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
#else
    ++*number;
#endif
}

/* Store an object in an empty field, which takes over the reference; 0 where there is one. */
static inline int set_once(PyObject **place, PyObject *object)
{
#if FREE_THREADED
    PyObject *none = NULL;
    return __atomic_compare_exchange_n(place, &none, object, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#else
    if (*place)
        return 0;
    *place = object;
    return 1;
#endif
}

/* A new module, which does not need the GIL. */
static inline PyObject *new_module(PyModuleDef *definition)
{
    PyObject *module = PyModule_Create(definition);

#if FREE_THREADED
    if (module && PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED) < 0)
        Py_CLEAR(module);
#endif
    return module;
}

/* An item of a dictionary as a new reference: 1 if it exists, 0 if not, -1 with an exception. */
static inline int item_of(PyObject *dict, PyObject *key, PyObject **item)
{
#if FREE_THREADED
    return PyDict_GetItemRef(dict, key, item);
#else
    *item = Py_XNewRef(PyDict_GetItemWithError(dict, key));
    return *item ? 1 : PyErr_Occurred() ? -1 : 0;
#endif
}

/* An item of a list as a new reference; NULL past its end. */
static inline PyObject *item_at(PyObject *list, Py_ssize_t place)
{
#if FREE_THREADED
    PyObject *item = PyList_GetItemRef(list, place);
    if (!item)
        PyErr_Clear();
    return item;
#else
    return place < PyList_GET_SIZE(list) ? Py_NewRef(PyList_GET_ITEM(list, place)) : NULL;
#endif
}

/* The contents of a cell, a new reference, or NULL; and replace them by another value, or none. */
static inline PyObject *value_of_cell(PyObject *cell)
{
#if FREE_THREADED
    return PyCell_Get(cell);
#else
    return Py_XNewRef(PyCell_GET(cell));
#endif
}

/* Whether the caller holds the only reference to an object, and no other thread can get one. */
static inline int is_own(PyObject *object)
{
#if FREE_THREADED
    return PyUnstable_Object_IsUniquelyReferenced(object);
#else
    return Py_REFCNT(object) == 1;
#endif
}

/* Defer the count of an object's references to the garbage collector: callers need not count
   theirs, which would make processors wait for each other. */
static inline void defer_count(PyObject *object)
{
#if FREE_THREADED
    PyUnstable_Object_EnableDeferredRefcount(object);
#endif
}

/* --- integers --------------------------------------------------------------------------------------- */

/* The integers that exist once, according to the documentation of PyLong_FromLong. */
#if PY_VERSION_HEX >= 0x030F0000
enum { SMALLEST = -5, LARGEST = 1024 };
#else
enum { SMALLEST = -5, LARGEST = 256 };
#endif

/* From 3.12 on an integer has its digits in one structure, with a tag: the number of digits above
   three bits.  The lower two bits are 0: positive, 1: zero, 2: negative; the third is set, from
   3.14 on, for integers that exist once. */
#if PY_VERSION_HEX >= 0x030C0000

static inline digit *digits_in(PyObject *value)
{
    return ((PyLongObject *)value)->long_value.ob_digit;
}

static inline size_t digits_of(PyObject *value)
{
    return ((PyLongObject *)value)->long_value.lv_tag >> 3;
}

static inline int is_negative(PyObject *value)
{
    return (((PyLongObject *)value)->long_value.lv_tag & 3) == 2;
}

/* Set sign and number of digits of an integer that has no other reference and is not zero. */
static inline void set_digits_of(PyObject *value, size_t digits, int negative)
{
    ((PyLongObject *)value)->long_value.lv_tag = digits << 3 | (negative ? 2 : 0);
}

/* The value of an integer of one digit, as nearly all calls pass; 0 for any other. */
static inline int small_integer(PyObject *value, int64_t *number)
{
    if (!PyUnstable_Long_IsCompact((PyLongObject *)value))
        return 0;
    *number = PyUnstable_Long_CompactValue((PyLongObject *)value);
    return 1;
}

#else

static inline digit *digits_in(PyObject *value)
{
    return ((PyLongObject *)value)->ob_digit;
}

static inline size_t digits_of(PyObject *value)
{
    Py_ssize_t size = Py_SIZE(value);
    return (size_t)(size < 0 ? -size : size);
}

static inline int is_negative(PyObject *value)
{
    return Py_SIZE(value) < 0;
}

static inline void set_digits_of(PyObject *value, size_t digits, int negative)
{
    Py_SET_SIZE((PyVarObject *)value, negative ? -(Py_ssize_t)digits : (Py_ssize_t)digits);
}

static inline int small_integer(PyObject *value, int64_t *number)
{
    Py_ssize_t size = Py_SIZE(value);
    if (size < -1 || size > 1)
        return 0;
    *number = (int64_t)size * digits_in(value)[0]; /* 0 has the size 0 */
    return 1;
}

#endif

/* The value of an integer of at most two digits, as all numbers of 60 bits are; 0 for any other. */
static inline int short_integer(PyObject *value, int64_t *number)
{
    const digit *digits = digits_in(value);
    int64_t magnitude;

    if (__builtin_expect(digits_of(value) != 2, 1))
        return small_integer(value, number);
    magnitude = (int64_t)digits[1] << PyLong_SHIFT | digits[0];
    *number = is_negative(value) ? -magnitude : magnitude;
    return 1;
}

/* --- reference counts ------------------------------------------------------------------------------- */

/* Counted in the way of inlined compiled code (`lowering/objects/module.py`).  In 3.12 and 3.13 all
   64 bits are written, since CPython's own macros write 32 and read 64, which stalls a processor;
   from 3.14 on the upper bits are flags, and the macros read 32. */
#if FREE_THREADED /* each thread has a count of its own, besides a shared one: left to CPython */

static inline PyObject *one_more(PyObject *object)
{
    return Py_NewRef(object);
}

#elif PY_VERSION_HEX >= 0x030E0000

static inline PyObject *one_more(PyObject *object)
{
    uint32_t count = object->ob_refcnt;
    if ((int32_t)count >= 0) /* else it lives forever */
        object->ob_refcnt = count + 1;
    return object;
}

/* Drop a reference; whether it was the last one. */
static inline int was_last(PyObject *object)
{
    uint32_t count = object->ob_refcnt;
    if ((int32_t)count < 0)
        return 0;
    object->ob_refcnt = count - 1;
    return count == 1;
}

#elif PY_VERSION_HEX >= 0x030C0000

static inline PyObject *one_more(PyObject *object)
{
    uint32_t count = (uint32_t)object->ob_refcnt + 1;
    if (count) /* else it lives forever */
        object->ob_refcnt = (Py_ssize_t)count;
    return object;
}

static inline int was_last(PyObject *object)
{
    int32_t count = (int32_t)object->ob_refcnt;
    if (count < 0)
        return 0;
    object->ob_refcnt = (Py_ssize_t)(uint32_t)(count - 1);
    return count == 1;
}

#else

static inline PyObject *one_more(PyObject *object)
{
    object->ob_refcnt++;
    return object;
}

static inline int was_last(PyObject *object)
{
    return --object->ob_refcnt == 0;
}

#endif

#endif
