/* What differs between the versions of CPython, for all of the C code: no other file asks which
   version it is.  Each difference has a name here; a new Python gets its rows in this file. */

#ifndef CUTAWAY_COMPAT_H
#define CUTAWAY_COMPAT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#ifdef Py_GIL_DISABLED
#error "Cutaway cannot be built for a free-threaded Python yet: use the usual build"
#endif
#if PY_VERSION_HEX < 0x030B0000
#error "Cutaway needs Python 3.11 or later"
#endif

/* --- what there is, from 3.12 on ----------------------------------------------------------------- */

#define HAS_MONITORING (PY_VERSION_HEX >= 0x030C0000)       /* sys.monitoring */
#define HAS_TYPE_PARAMS (PY_VERSION_HEX >= 0x030C0000)      /* `def f[T](x)` */
#define HAS_DICT_WATCHERS (PY_VERSION_HEX >= 0x030C0000)    /* PyDict_Watch */
#define HAS_EXCEPTION_OBJECTS (PY_VERSION_HEX >= 0x030C0000) /* what is raised is one object */
#define HAS_THREADS_OWN_STATE (PY_VERSION_HEX >= 0x030C0000) /* the state asked for is this thread's */
#define HAS_NAME_FROM (PY_VERSION_HEX >= 0x030C0000)        /* `ImportError.name_from` */

/* --- what behaves in another way ----------------------------------------------------------------- */

#define THROW_WARNS_OF_THREE (PY_VERSION_HEX >= 0x030C0000)  /* generator.throw(type, exc, tb) */
#define CLOSE_GIVES_VALUE (PY_VERSION_HEX >= 0x030D0000)     /* generator.close() */
#define NORM_DIVIDES_TINY (PY_VERSION_HEX < 0x030C0000)      /* math.hypot, math.dist */
#define COUNTS_TOO_MANY (PY_VERSION_HEX >= 0x030E0000)       /* values to unpack */
#define HANDLING_HIDES_WORDS (PY_VERSION_HEX < 0x030C0000)   /* of a keyword given twice */

#if PY_VERSION_HEX >= 0x030C0000
#define NO_CLASS_IN_PATTERN "called match pattern must be a class"
#else
#define NO_CLASS_IN_PATTERN "called match pattern must be a type"
#endif

/* --- strings, classes, threads --------------------------------------------------------------------- */

/* Have a string's characters where PyUnicode_DATA looks: one of the old C interface gets them. */
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

/* The state of the thread that runs; NULL without the GIL. */
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

/* --- integers --------------------------------------------------------------------------------------- */

/* Which integers exist once, as the C API's manual says of PyLong_FromLong. */
#if PY_VERSION_HEX >= 0x030F0000
enum { SMALLEST = -5, LARGEST = 1024 };
#else
enum { SMALLEST = -5, LARGEST = 256 };
#endif

/* An integer has its digits in one structure from 3.12 on, with a tag: their number above three bits,
   of which the lower two are 0: positive, 1: zero, 2: negative; the third one is set, from 3.14 on,
   where the integer exists once. */
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

/* Set sign and number of digits, of an integer that nobody else has and that is not zero. */
static inline void set_digits_of(PyObject *value, size_t digits, int negative)
{
    ((PyLongObject *)value)->long_value.lv_tag = digits << 3 | (negative ? 2 : 0);
}

/* An integer that fits a digit, which is what nearly all calls pass; 0 for any other. */
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

/* An integer of two digits at most, which every number of 60 bits is; 0 for any other. */
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

/* --- counts of references ------------------------------------------------------------------------- */

/* They are counted here as compiled code counts them, where that is inlined
   (`lowering/objects/module.py`).  In 3.12 and 3.13 all 64 bits are written, since CPython's own
   macros write 32 and read 64, which a processor waits for; from 3.14 on the upper ones hold flags,
   and the macros read 32. */
#if PY_VERSION_HEX >= 0x030E0000

static inline PyObject *one_more(PyObject *object)
{
    uint32_t count = object->ob_refcnt;
    if ((int32_t)count >= 0) /* else it lives forever */
        object->ob_refcnt = count + 1;
    return object;
}

/* One less; whether none is left. */
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
