/* From the record that compiled code fills to an exception. */

#include "dispatch.h"

void raise_described(const cutaway_exc *exc)
{
    runtime->raise(exc, 1);
}
