/* Tables of words as they are without a GIL, by themselves: threads look up and set at once, and what is
   found is what was set.  `tests/sanitize.sh` runs it under ThreadSanitizer, which knows the locks and
   atomic operations of this process, and not those of Python.

       words_hammer THREADS ROUNDS */

#define CUTAWAY_COMPAT_H /* what the table needs of it is here */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FREE_THREADED 1
#define SHARED(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#define SHARE(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELEASE)
typedef pthread_mutex_t thread_lock;
#define LOCK(lock) pthread_mutex_lock(&(lock))
#define UNLOCK(lock) pthread_mutex_unlock(&(lock))
#define PyMem_Malloc malloc
#define PyMem_Calloc calloc
#define PyMem_Free free
#define PyErr_NoMemory abort

#include "../../../src/cutaway/dispatch_c/words.c"

enum { KEYS = 500 };

static word_table table = {.limit = KEYS / 2, .lock = PTHREAD_MUTEX_INITIALIZER};
static long rounds;
static int wrong;

/* The value of a key is all there is in it. */
static intptr_t value_of(uint32_t key)
{
    return (intptr_t)key * 7 + 1;
}

static void *work(void *seed)
{
    uint32_t dice = (uint32_t)(uintptr_t)seed * 2654435761u + 1;

    for (long round = 0; round < rounds; round++) {
        uint32_t key, words[3];
        intptr_t found;
        dice = dice * 1664525u + 1013904223u;
        key = (dice >> 8) % KEYS;
        words[0] = words[1] = words[2] = key;
        found = words_find(&table, words, 1 + key % 3);
        if (found && found != value_of(key))
            __atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
        if (!found || dice >> 28 == 0)
            words_set(&table, words, 1 + key % 3, value_of(key));
        if (dice >> 20 == 0)
            words_clear(&table);
    }
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t threads[64];
    int number = count > 1 ? atoi(arguments[1]) : 4;

    rounds = count > 2 ? atol(arguments[2]) : 1000;
    if (number < 1 || number > 64)
        return 2;
    for (long k = 0; k < number; k++)
        pthread_create(&threads[k], NULL, work, (void *)k);
    for (int k = 0; k < number; k++)
        pthread_join(threads[k], NULL);
    words_end(&table);
    printf("%s\n", wrong ? "a wrong value" : "right");
    return wrong;
}
