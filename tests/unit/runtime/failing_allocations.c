/* An allocator in front of the C library's, by LD_PRELOAD: of the allocations that the runtime makes the
   one with a chosen number fails. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

static long left = -1; /* until the one that fails; -1: none does */
static int has_failed;

/* Let the allocation after so many fail; say whether the last one that was chosen did. */
int fail_after(long count)
{
    int before = has_failed;

    has_failed = 0;
    left = count;
    return before;
}

static int fails(void *caller)
{
    Dl_info where;

    if (left < 0 || !dladdr(caller, &where) || !strstr(where.dli_fname, "/_runtime."))
        return 0;
    if (left-- > 0)
        return 0;
    has_failed = 1;
    errno = ENOMEM;
    return 1;
}

void *__libc_malloc(size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_calloc(size_t count, size_t size);

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *realloc(void *block, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(block, size);
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}
