// LLVM makes an or of a sum whose parts have no common bits in any thread that runs it. Thread 0
// may run it not at all, and its parts may have: the addresses of the others are sums all the same.
// run: -b 64 -g 3 i32[192] i32[192]=iota 192 4
// expect: out: i32[192] = [0, 0, 1, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54, 57, 60, 63, 66, 69, 72, 75, 78, 81, 84, 87, 90, 93, 96, 99, 102, 105, 108, 111, 114, 117, 120, 123, 126, 129, 132, 135, 138, 141, 144, 147, 150, 153, 156, 159, 162, 165, 168, 171, 174, 177, 180, 183, 0, 64, 129, 195, 198, 201, 204, 207, 210, 213, 216, 219, 222, 225, 228, 231, 234, 237, 240, 243, 246, 249, 252, 255, 258, 261, 264, 267, 270, 273, 276, 279, 282, 285, 288, 291, 294, 297, 300, 303, 306, 309, 312, 315, 318, 321, 324, 327, 330, 333, 336, 339, 342, 345, 348, 351, 354, 357, 360, 363, 366, 369, 372, 375, 0, 128, 257, 387, 390, 393, 396, 399, 402, 405, 408, 411, 414, 417, 420, 423, 426, 429, 432, 435, 438, 441, 444, 447, 450, 453, 456, 459, 462, 465, 468, 471, 474, 477, 480, 483, 486, 489, 492, 495, 498, 501, 504, 507, 510, 513, 516, 519, 522, 525, 528, 531, 534, 537, 540, 543, 546, 549, 552, 555, 558, 561, 564, 567]
#include <lanewise/kernel.h>

KERNEL void back(int *out, const int *in, int total, int end)
{
    int first = (block_idx.x & 3) * 64, lane = thread_idx.x, sum = 0;
    for (int n = -end + 1; n < 0; n++) {
        int from = lane + n;
        if (from < 0 || from > 63 || first + from >= total) /* else first has none of its bits */
            continue;
        sum += in[first + from];
    }
    out[first + lane] = sum;
}
