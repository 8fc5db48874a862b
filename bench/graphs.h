/* graphs.h - what graphs.c and graphs_cuda.c share. */
#ifndef BENCH_GRAPHS_H
#define BENCH_GRAPHS_H

double bench_now(void); /* nanoseconds */

/* A CUDA graph of `links` kernels that each scale `n` floats, made with the driver's functions
 * alone. NULL: it cannot be made, and the reason has been printed. bench_hand_time: nanoseconds of
 * one of so many launches of it. */
struct bench_hand;
struct bench_hand *bench_hand_make(const char *device, int links, int n);
double bench_hand_time(struct bench_hand *hand, int calls);
#endif
