// Structs of 3 to 15 bytes as arguments, copied into arrays: what is left of one when a field is
// taken out of it is an integer of an odd size.
// sizes: 1 33 8x8x4
// run: -k seven -b @B {{1,2},{3,4},{5,6}} --quiet i32[1]
// run: -k three -b @B {1,{2,3}} --quiet i32[1]
// run: -k fifteen -b @B --quiet u8[4096]=iota i32[1]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

struct seven {
    int16_t a[2];
    uint8_t b[2], c[2];
};

KERNEL void seven(struct seven s, const int *zero)
{
    struct seven kept[2] = {0};
    kept[0] = s;
    int k = (ME + *zero) & 1;
    assert(kept[k].a[0] == !k && kept[k].a[1] == 2 * !k && kept[k].b[0] == 3 * !k);
    assert(kept[k].b[1] == 4 * !k && kept[k].c[0] == 5 * !k && s.c[1] == 6);
    kept[k] = s;
    kept[k].c[1] = ME;
    assert(kept[k].c[1] == (uint8_t)ME && kept[k].c[0] == 5 && kept[k].a[1] == 2);
}

struct three {
    uint8_t a, b[2];
};

KERNEL void three(struct three s, const int *zero)
{
    struct three kept[4] = {{7, {8, 9}}, s, {0, {1, 1}}};
    int k = (ME + *zero) & 3;
    kept[3] = kept[k];
    s.b[0] = kept[3].b[1];
    assert(kept[3].a == (k == 0 ? 7 : k == 1) && s.b[0] == (k == 0 ? 9 : k == 1 ? 3 : k == 2));
}

struct fifteen {
    uint8_t a[15];
};

KERNEL void fifteen(uint8_t *bytes, const int *zero)
{
    struct fifteen *memory = (struct fifteen *)bytes, kept[2] = {memory[ME], {{0}}};
    int k = (ME + *zero) & 1;
    kept[1] = kept[k];
    kept[1].a[14] = 1;
    memory[ME] = kept[1];
    for (int i = 0; i < 14; i++)
        assert(bytes[15 * ME + i] == (k ? 0 : (uint8_t)(15 * ME + i)));
    assert(bytes[15 * ME + 14] == 1);
}
