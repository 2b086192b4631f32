/* Entry points for the tests of the dispatcher, made without the compiler. */

#include <stdint.h>
#include <string.h>

typedef struct {
    const char *table;
    int64_t index;
    int64_t payload[4];
    uintptr_t stack_limit;
} cutaway_exc;

int64_t seen[1024];
int64_t count;

/* Keep the arguments where the test can look at them; return the first slots unchanged. */
int32_t echo(int64_t *ret, const int64_t *args, cutaway_exc *exc)
{
    memcpy(seen, args, (size_t)count * sizeof(int64_t));
    memcpy(ret, args, (size_t)count * sizeof(int64_t));
    return 0;
}

int32_t nothing(int64_t *ret, const int64_t *args, cutaway_exc *exc)
{
    memcpy(seen, args, (size_t)count * sizeof(int64_t));
    return 0;
}

int32_t raises(int64_t *ret, const int64_t *args, cutaway_exc *exc)
{
    exc->table = "table";
    exc->index = 7;
    exc->payload[0] = args[0];
    exc->payload[1] = -1;
    exc->payload[2] = 2;
    exc->payload[3] = 3;
    return exc->stack_limit ? 1 : 0;
}
