/* Descriptors as text become nodes; the language is in runtime/cutaway_runtime.h. */

#include "dispatch.h"

/* Whether there are numbers of a kind with so many bytes. */
static int is_number(char kind, int bytes)
{
    int whole = kind == 'i' || kind == 'u', parts = kind == 'c' ? 2 : 1;

    if (whole && (bytes == 1 || bytes == 2))
        return 1;
    return bytes == 4 * parts || bytes == 8 * parts;
}

/* The items of a tuple, up to its closing bracket; -1 with an exception set. */
static int parse_items(const unsigned char **text, const unsigned char *end, node *n,
                       node **nodes, node *limit)
{
    int bad = 0;

    if (Py_EnterRecursiveCall(" while reading a descriptor"))
        return -1;
    while (!bad && *text < end && **text != ')') {
        n->count++;
        bad = parse_node(text, end, nodes, limit);
    }
    Py_LeaveRecursiveCall();
    return bad;
}

int parse_node(const unsigned char **text, const unsigned char *end, node **nodes,
               node *limit)
{
    node *n = *nodes;
    const unsigned char *t = *text;

    if (t >= end || n >= limit)
        goto bad;
    memset(n, 0, sizeof(*n));
    n->kind = (char)*t++;
    *nodes = n + 1;
    switch (n->kind) {
    case '?': case 'N': case 'O': case 'R': case 'U':
        break;
    case 'i': case 'u': case 'f': case 'c':
        if (t >= end)
            goto bad;
        n->bytes = *t == 'g' ? 16 : (unsigned char)(*t - '0');
        t++;
        if (!is_number(n->kind, n->bytes))
            goto bad;
        break;
    case 'A': case 'G':
        if (end - t < 4)
            goto bad;
        n->type = t[0];
        n->count = t[1];
        n->layout = (char)t[2];
        n->flags = t[3];
        t += 4;
        if (n->count > NPY_MAXDIMS)
            goto bad;
        break;
    case 'B':
        if (end - t < 5)
            goto bad;
        n->letter = (char)t[0];
        n->type = t[1];
        n->count = t[2];
        n->layout = (char)t[3];
        n->flags = t[4];
        t += 5;
        if (!is_buffer_descriptor(n))
            goto bad;
        if (n->letter == 'r' && load_array_type() < 0)
            return -1;
        break;
    case 'K': case 'L': case 'E': case 'D': case 'X': case 'Y':
        if (t >= end)
            goto bad;
        n->count = *t++;
        break;
    case 'Z':
        if (end - t < 3)
            goto bad;
        n->type = t[0];
        n->count = t[1] | t[2] << 8;
        t += 3;
        break;
    case 'V':
        if (end - t < 2)
            goto bad;
        n->count = t[0];
        n->flags = t[1] & 1;
        t += 2;
        break;
    case 'S':
        if (t >= end)
            goto bad;
        n->flags = *t++;
        break;
    case 'M':
        *text = t;
        return parse_node(text, end, nodes, limit);
    case 'T':
        if (t >= end)
            goto bad;
        n->type = *t++; /* and then as a tuple */ /* fall through */
    case '(':
        if (parse_items(&t, end, n, nodes, limit) < 0)
            return -1;
        if (t++ >= end)
            goto bad;
        break;
    default:
        goto bad;
    }
    *text = t;
    return 0;
bad:
    PyErr_SetString(PyExc_ValueError, "a descriptor that cannot be read");
    return -1;
}

/* How many slots a value takes; *n is moved behind it. */
int count_slots(const node **n)
{
    const node *here = (*n)++;
    int total = 0;

    switch (here->kind) {
    case 'A': case 'B': case 'G':
        return 2 + 2 * here->count;
    case 'U':
        return 4;
    case 'D': case 'V': case 'X': case 'Y':
        return slots_of_other(here->kind);
    case 'Z':
        return here->count;
    case 'R':
        return 3;
    case 'c':
        return 2;
    case 'N': case 'O': case 'K': case 'L':
        return 0;
    case 'S':
        return (here->flags & 1) + (here->flags >> 1 & 1) + (here->flags >> 2 & 1);
    case 'M':
        return 1 + count_slots(n);
    case 'T': case '(':
        for (int k = 0; k < here->count; k++)
            total += count_slots(n);
        return total;
    }
    return 1;
}
