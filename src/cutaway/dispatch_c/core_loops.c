/* Kernels over parts of arrays, called for each part with the slots of the arguments filled. */

#include "ufunc_loops.h"

#define STACK_SLOTS 128 /* slots of a kernel's arguments that need no malloc */
#define MOST_DIMENSIONS 64

static inline void load_slots(int type, const char *from, int64_t *slots)
{
#define LOAD(number, ctype)                                                                      \
    case number: {                                                                               \
        ctype value;                                                                             \
        memcpy(&value, from, sizeof(value));                                                     \
        *slots = (int64_t)value;                                                                 \
        return;                                                                                  \
    }
    *slots = 0;
    switch (type) {
        LOAD(NPY_BYTE, npy_byte)
        LOAD(NPY_UBYTE, npy_ubyte)
        LOAD(NPY_SHORT, npy_short)
        LOAD(NPY_USHORT, npy_ushort)
        LOAD(NPY_INT, npy_int)
        LOAD(NPY_UINT, npy_uint)
        LOAD(NPY_LONG, npy_long)
        LOAD(NPY_ULONG, npy_ulong)
        LOAD(NPY_LONGLONG, npy_longlong)
        LOAD(NPY_ULONGLONG, npy_ulonglong)
    case NPY_BOOL:
        *slots = *from != 0;
        return;
    case NPY_HALF:
        memcpy(slots, from, 2);
        return;
    case NPY_FLOAT:
        memcpy(slots, from, 4);
        return;
    case NPY_CFLOAT:
        slots[1] = 0;
        memcpy(slots, from, 4);
        memcpy(slots + 1, from + 4, 4);
        return;
    case NPY_CDOUBLE:
        memcpy(slots, from, 16);
        return;
    default: /* NPY_DOUBLE, and times */
        memcpy(slots, from, 8);
    }
#undef LOAD
}

static inline int slots_of(const operand *op)
{
    if (op->ndim >= 0)
        return 2 + 2 * op->ndim;
    return op->type == NPY_CFLOAT || op->type == NPY_CDOUBLE ? 2 : 1;
}

/* Whether the core dimensions of an argument are contiguous in C order. */
static int is_in_order(const operand *op, const npy_intp *shape, const npy_intp *strides)
{
    npy_intp expected = op->bytes;

    for (int k = op->core - 1; k >= 0; k--) {
        if (strides[k] != expected && shape[k] != 1)
            return 0;
        expected *= shape[k];
    }
    return 1;
}

/* Fill the slots that are the same for each part; `strides` has those of all arguments in turn. */
static void fill_shapes(const loop_row *row, const int *places, const npy_intp *sizes,
                        const npy_intp *strides, int64_t *slots)
{
    for (int k = 0; k < row->count; k++) {
        const operand *op = &row->operands[k];
        for (int d = 0; d < op->core && op->ndim >= 0; d++) {
            slots[2 + d] = sizes[places[d]];
            slots[2 + op->ndim + d] = strides[d];
        }
        if (op->ndim > 0 && op->core == 0) { /* a number as an array of one element */
            slots[2] = 1;
            slots[3] = op->bytes;
        }
        if (op->ndim >= 0)
            slots[0] = 0;
        places += op->core;
        strides += op->core;
        slots += slots_of(op);
    }
}

static int all_in_order(const loop_row *row, const int *places, const npy_intp *sizes,
                        const npy_intp *strides)
{
    for (int k = 0; k < row->count; k++) {
        const operand *op = &row->operands[k];
        npy_intp shape[MOST_DIMENSIONS];
        for (int d = 0; d < op->core; d++)
            shape[d] = sizes[places[d]];
        if (!is_in_order(op, shape, strides))
            return 0;
        places += op->core;
        strides += op->core;
    }
    return 1;
}

/* The position in an argument during the loop: its data in the next part, and its slots, of which
   one receives the data of an array. */
typedef struct {
    char *data;
    npy_intp step;
    int64_t *slots;
    int type; /* of a number; -1 for an array */
} cursor;

static void begin_cursors(const loop_row *row, char **args, const npy_intp *steps, int64_t *slots,
                          cursor *cursors)
{
    for (int k = 0; k < row->count; k++) {
        const operand *op = &row->operands[k];
        int is_array = op->ndim >= 0;
        cursors[k] = (cursor){args[k], steps[k], slots + is_array, is_array ? -1 : op->type};
        slots += slots_of(op);
    }
}

/* Set the arguments' data for the next part, whose shapes are in the slots already. */
static inline void advance(cursor *cursors, int count)
{
    for (int k = 0; k < count; k++) {
        cursor *one = &cursors[k];
        if (one->type < 0)
            *one->slots = (int64_t)(intptr_t)one->data;
        else
            load_slots(one->type, one->data, one->slots);
        one->data += one->step;
    }
}

/* --- inputs that overlap outputs ---------------------------------------------------------------- */

/* NumPy handles parts that overlap other parts, but if input and output are the same array it
   assumes that each element is read before it is written.  A kernel may read any of its part at any
   time, so such an input is copied, part by part. */
typedef struct {
    int count;                     /* of copied inputs */
    signed char is_copied[MOST_ARGUMENTS];
    char *memory[MOST_ARGUMENTS];
} copies;

/* The addresses of the first byte and past the last of a part. */
static void extent(const operand *op, char *data, const int *places, const npy_intp *sizes,
                   const npy_intp *strides, char **first, char **end)
{
    *first = *end = data;
    for (int d = 0; d < op->core; d++) {
        npy_intp way = (sizes[places[d]] - 1) * strides[d];
        if (way < 0)
            *first += way;
        else
            *end += way;
    }
    *end += op->bytes;
}

static npy_intp bytes_of(const operand *op, const int *places, const npy_intp *sizes)
{
    npy_intp bytes = op->bytes;

    for (int d = 0; d < op->core; d++)
        bytes *= sizes[places[d]];
    return bytes;
}

/* Find the inputs that overlap an output, and allocate copies of them; -1 if out of memory. */
static int find_copies(const core_row *core, char **args, const npy_intp *sizes,
                       const npy_intp *strides, copies *found)
{
    const loop_row *row = &core->row;
    char *first[MOST_ARGUMENTS], *end[MOST_ARGUMENTS];
    int start[MOST_ARGUMENTS + 1];

    memset(found, 0, sizeof(*found));
    start[0] = 0;
    for (int k = 0; k < row->count; k++) {
        const operand *op = &row->operands[k];
        extent(op, args[k], core->places + start[k], sizes, strides + start[k], &first[k], &end[k]);
        start[k + 1] = start[k] + op->core;
    }
    for (int k = 0; k < row->inputs; k++) {
        const operand *op = &row->operands[k];
        npy_intp bytes = bytes_of(op, core->places + start[k], sizes);
        int overlaps = 0;
        for (int out = row->inputs; out < row->count; out++)
            overlaps |= first[k] < end[out] && first[out] < end[k];
        if (!overlaps || op->ndim < 1 || op->written || bytes == 0)
            continue;
        found->memory[k] = PyMem_RawMalloc((size_t)bytes);
        if (!found->memory[k])
            return -1;
        found->is_copied[k] = 1;
        found->count++;
    }
    return 0;
}

static void free_copies(copies *found)
{
    for (int k = 0; k < MOST_ARGUMENTS; k++)
        PyMem_RawFree(found->memory[k]);
}

/* Copy a part to contiguous memory; returns the address after it. */
static char *copy_part(char *to, const char *from, const operand *op, int d, const int *places,
                       const npy_intp *sizes, const npy_intp *strides)
{
    if (d == op->core) {
        memcpy(to, from, (size_t)op->bytes);
        return to + op->bytes;
    }
    for (npy_intp n = 0; n < sizes[places[d]]; n++)
        to = copy_part(to, from + n * strides[d], op, d + 1, places, sizes, strides);
    return to;
}

/* Replace the data of a part's inputs in the slots by copies. */
static void use_copies(const core_row *core, const copies *found, const npy_intp *sizes,
                       const npy_intp *strides, int64_t *slots)
{
    const int *places = core->places;

    for (int k = 0; k < core->row.count; k++) {
        const operand *op = &core->row.operands[k];
        if (found->is_copied[k]) {
            npy_intp step = op->bytes;
            copy_part(found->memory[k], (const char *)(intptr_t)slots[1], op, 0, places, sizes,
                      strides);
            slots[1] = (int64_t)(intptr_t)found->memory[k];
            for (int d = op->core - 1; d >= 0; d--) {
                slots[2 + op->ndim + d] = step;
                step *= sizes[places[d]];
            }
        }
        places += op->core;
        strides += op->core;
        slots += slots_of(op);
    }
}

/* --- the loop ----------------------------------------------------------------------------------- */

static void no_memory(void)
{
    PyGILState_STATE state = PyGILState_Ensure();

    PyErr_NoMemory();
    PyGILState_Release(state);
}

void core_loop(char **args, const npy_intp *dims, const npy_intp *steps, void *data)
{
    const core_row *core = data;
    const loop_row *row = &core->row;
    const npy_intp *sizes = dims + 1, *strides = steps + row->count;
    const Specialization *spec = row->spec;
    int64_t few[STACK_SLOTS], result[2], *slots = few;
    cutaway_exc exc;
    copies found;
    cursor cursors[MOST_ARGUMENTS];
    int32_t status = 0;
    float_flags flags = saved_flags();

    if (!begin_loop(&exc))
        return;
    if (row->contiguous && all_in_order(row, core->places, sizes, strides))
        spec = row->contiguous;
    if (spec->argument_slots > STACK_SLOTS &&
        !(slots = PyMem_RawMalloc((size_t)spec->argument_slots * sizeof(int64_t)))) {
        no_memory();
        return;
    }
    if (find_copies(core, args, sizes, strides, &found) < 0) {
        no_memory();
        goto done;
    }
    fill_shapes(row, core->places, sizes, strides, slots);
    begin_cursors(row, args, steps, slots, cursors);
    for (npy_intp part = 0; part < dims[0] && !status; part++) {
        advance(cursors, row->count);
        if (found.count)
            use_copies(core, &found, sizes, strides, slots);
        status = spec->entry(result, slots, &exc);
    }
    restore_flags(flags);
    if (status)
        raise_in_loop(&exc, status);
done:
    free_copies(&found);
    if (slots != few)
        PyMem_RawFree(slots);
}
