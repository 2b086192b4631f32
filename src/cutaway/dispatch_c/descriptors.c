/* Parse descriptors into nodes; the language is in runtime/cutaway_runtime.h. */

#include "dispatch.h"

/* Parse the items of a node, up to a closing bracket; -1 with an exception set. */
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
    if (!bad && (*text)++ >= end) {
        PyErr_SetString(PyExc_ValueError, "a descriptor that cannot be read");
        return -1;
    }
    return bad;
}

/* How many values are inside, of a kind that says so. */
static int inside_of(const value_kind *kind)
{
    return kind->inside == ELSEWHERE ? ONE : kind->inside == TWO_ELSEWHERE ? TWO : kind->inside;
}

int parse_node(const unsigned char **text, const unsigned char *end, node **nodes,
               node *limit)
{
    node *n = *nodes;
    const unsigned char *t = *text;
    const value_kind *kind;
    int known;

    if (t >= end || n >= limit || *t >= 128)
        goto bad;
    memset(n, 0, sizeof(*n));
    n->kind = (char)*t++;
    kind = kind_of(n);
    if ((!kind->unbox && n->kind != 'O') || end - t < kind->bytes)
        goto bad;
    known = kind->read ? kind->read(n, t) : 1;
    if (known <= 0) {
        if (known < 0)
            return -1;
        goto bad;
    }
    *nodes = n + 1;
    *text = t + kind->bytes;
    if (kind->inside == ITEMS)
        return parse_items(text, end, n, nodes, limit);
    for (int k = 0; k < inside_of(kind); k++)
        if (parse_node(text, end, nodes, limit) < 0)
            return -1;
    return 0;
bad:
    PyErr_SetString(PyExc_ValueError, "a descriptor that cannot be read");
    return -1;
}

/* Count the slots of a value; moves *n past it. */
int count_slots(const node **n)
{
    const node *here = (*n)++;
    const value_kind *kind = kind_of(here);
    int total = kind->slots + kind->each * here->count;
    int inside = kind->inside == ITEMS ? here->count : kind->inside;

    if (kind->inside == ELSEWHERE || kind->inside == TWO_ELSEWHERE) { /* a tuple may have as many */
        for (int k = 0; k < inside_of(kind); k++)
            count_slots(n);
        return total;
    }

    for (int k = 0; k < inside; k++)
        total += count_slots(n);
    return total;
}
