/* What fences and atomics order, where many threads access one element. Each
 * kernel is right without -D BAD. Blocks tell each other that they have been by
 * counts that order nothing. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)
#define BLOCK ((int)block_idx.x)

static void release(int *flag) {
  fence_device();
  atomic_add(flag, 1);
}
static void take(int *flag, int value) {
  while (atomic_load(flag) != value)
    ;
  fence_device();
}
static void come_after(int *flag, int value) {
  while (atomic_load(flag) != value)
    ;
}

// run: -k readers -b 1 -g 10 i32[1] i32[2] i32[10]
// run: -k readers -b 1 -g 10 -D BAD i32[1] i32[2] i32[10]
// finds: race-global @a2 @a1
KERNEL void readers(int *data, int *flags, int *out) {
  if (BLOCK == 0) {
    *data = 42; /* @a1 */
    release(&flags[0]);
  } else if (BLOCK < 9) {
    take(&flags[0], 1);
    out[BLOCK] = *data;
    atomic_add(&flags[1], 1);
  } else {
    come_after(&flags[1], 8);
#ifndef BAD
    take(&flags[0], 1);
#endif
    out[BLOCK] = *data; /* @a2 */
  }
}

// run: -k updates -b 1 -g 10 i32[1] i32[2]
// run: -k updates -b 1 -g 10 -D BAD i32[1] i32[2]
// finds: race-global @u2 @u1
KERNEL void updates(int *data, int *flags) {
  if (BLOCK == 0) {
    *data = 42; /* @u1 */
    release(&flags[0]);
  } else if (BLOCK < 9) {
    take(&flags[0], 1);
    atomic_add(data, 1);
    atomic_add(&flags[1], 1);
  } else {
    come_after(&flags[1], 8);
#ifndef BAD
    take(&flags[0], 1);
#endif
    atomic_add(data, 1); /* @u2 */
  }
}

// run: -k times -b 2 -g 2 i32[1] i32[1] i32[2]
// run: -k times -b 2 -g 2 -D BAD i32[1] i32[1] i32[2]
// finds: race-global @t2 @t1
KERNEL void times(int *data, int *flag, int *out) {
  if (BLOCK == 0) {
    if (ME == 1)
      fence_device(); /* its read has another time than that of the other lane
                       */
    out[ME] = *data;  /* @t1 */
    release(flag);
  } else if (ME == 0) {
#ifdef BAD
    come_after(flag, 2);
#else
    take(flag, 2);
#endif
    *data = 1; /* @t2 */
  }
}

// run: -k kinds -b 32 -g 2 i32[1] i32[1] i32[1]
// run: -k kinds -b 32 -g 2 -D BAD i32[1] i32[1] i32[1]
// finds: race-global @k2 @k1
KERNEL void kinds(int *data, int *flag, int *out) {
  fence_device();
#ifdef BAD
  const int lane = 15; /* whose swap happens; those of the others are reads */
#else
  const int lane = 32;
#endif
  if (BLOCK == 0) {
    atomic_cas(data, ME == lane ? 0 : 5, 1); /* @k1 */
    atomic_add(flag, 1);
  } else if (ME == 0) {
    come_after(flag, 32);
    out[0] = *data; /* @k2 */
  }
}

// run: -k places -b 2 -g 2 i32[1] i32[2] i32[2]
// run: -k places -b 2 -g 2 -D BAD i32[1] i32[2] i32[2]
// finds: race-global @p3 @p2
KERNEL void places(int *data, int *flags, int *out) {
  if (BLOCK == 0) {
    if (ME == 0)
      out[0] = *data + 1;
    else
      out[1] = *data; /* @p2 */
#ifdef BAD
    if (ME == 1)
      atomic_add(&flags[1], 1);
    else
#endif
      release(&flags[ME]);
  } else if (ME == 0) {
    take(&flags[0], 1);
    take(&flags[1], 1);
    *data = 1; /* @p3 */
  }
}

// run: -k blocks -b 1 -g 6 i32[1] i32[5] i32[5]
// run: -k blocks -b 1 -g 6 -D BAD i32[1] i32[5] i32[5]
// finds: race-global @b2 @b1
KERNEL void blocks(int *data, int *flags, int *out) {
  if (BLOCK < 5) {
    out[BLOCK] = *data; /* @b1 */
#ifdef BAD
    if (BLOCK == 3)
      atomic_add(&flags[3], 1);
    else
#endif
      release(&flags[BLOCK]);
  } else {
    for (int b = 0; b < 5; b++)
      take(&flags[b], 1);
    *data = 1; /* @b2 */
  }
}

// run: -k warps -b 160 -g 2 i32[1] i32[5] i32[5]
// run: -k warps -b 160 -g 2 -D BAD i32[1] i32[5] i32[5]
// finds: race-global @w2 @w1
KERNEL void warps(int *data, int *flags, int *out) {
  const int warp = ME / 32;
  if (ME % 32 != 0)
    return;
  if (BLOCK == 0) {
    out[warp] = *data; /* @w1 */
#ifdef BAD
    if (warp == 2)
      atomic_add(&flags[2], 1);
    else
#endif
      release(&flags[warp]);
  } else if (ME == 0) {
    for (int w = 0; w < 5; w++)
      take(&flags[w], 1);
    *data = 1; /* @w2 */
  }
}
