/* layout.c - any text as a layout (docs/layout.md). */
#include "fuzz_layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char *text = exact(bytes, count);
    ensure_layout(text);
    free(text);
    return 0;
}
