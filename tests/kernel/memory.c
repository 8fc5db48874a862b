// memcpy, memmove, memset and struct assignment on every kind of memory, and bytes reused as
// another type.
// sizes: 1 33 100
// run: -b @B i32[1] u8[4096]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

struct record {
    char name[5];
    double x[3];
    struct {
        short a, b;
    } in;
};

SHARED struct record shared_records[100];
SHARED float shared_floats[400];

static bool same(const struct record *r, int me)
{
    return r->name[0] == (char)me && r->name[4] == 'e' && r->x[2] == me * 1.5 && r->in.b == -me;
}

KERNEL void memory(int *checked, const uint8_t *buffer)
{
    int me = thread_idx.x;
    uint8_t *global = (uint8_t *)buffer + me * 40;
    struct record mine = {{(char)me, 'b', 'c', 'd', 'e'}, {0, 1, me * 1.5}, {1, (short)-me}}, back;
    shared_records[me] = mine;
    barrier();
    struct record *next = &shared_records[(me + 1) % block_dim.x];
    back = *next;
    assert(same(&back, (me + 1) % block_dim.x));
    assert(sizeof mine == 40);
    memcpy(global, &mine, 40);
    memset(&back, 0, sizeof back);
    assert(back.x[2] == 0 && back.name[4] == 0);
    memcpy(&back, global, 40);
    assert(same(&back, me));
    memset(global, 0xff, 8);
    assert(global[7] == 255 && ((int16_t *)global)[1] == -1 && *(uint64_t *)global == UINT64_MAX);

    char overlap[8] = "abcdefg";
    memmove(overlap + 1, overlap, 5);
    assert(overlap[0] == 'a' && overlap[1] == 'a' && overlap[5] == 'e' && overlap[6] == 'g');

    /* not strict: bits of floats, bytes of words, in block memory and in a local */
    float *f = &shared_floats[me * 4];
    memset(f, 0, 16);
    *(uint32_t *)(f + 1) = 0x3f800000;
    ((uint8_t *)f)[11] = 0x40;
    assert(f[0] == 0 && f[1] == 1.0f && f[2] == 2.0f);
    int32_t *word = (int32_t *)global;
    float *same_place = (float *)(global + (block_dim.z - 1));
    *word = 1;
    *same_place = 2.0f;
    assert(*word == 0x40000000);
    double d = 1.0;
    *(uint64_t *)&d |= UINT64_C(1) << 63;
    assert(d == -1.0);

    /* arrays in structs are copied with them; a variable length is fine too */
    int n = me % 7;
    uint8_t local[8] = {1, 2, 3, 4, 5, 6, 7, 8}, to[8] = {0};
    memcpy(to, local, n);
    for (int i = 0; i < 8; i++)
        assert(to[i] == (i < n ? i + 1 : 0));
    struct record whole[2] = {mine, mine}, copy[2];
    memcpy(copy, whole, sizeof copy);
    assert(same(&copy[1], me));
    atomic_add(checked, 1);
}
