/* launch.h - arguments of a launch as values, and LW_LAUNCH, in C11 and C++11: a launch whose
 * arguments are tagged by their types.
 * lanewise.h includes it.
 */
#ifndef LANEWISE_LAUNCH_H
#define LANEWISE_LAUNCH_H

/* Arguments and sizes as values; LW_LAUNCH chooses among them by C type. */
static inline lw_arg lw_arg_int(int64_t v)
{
    lw_arg a = {LW_ARG_INT, {0}};
    a.as.i = v;
    return a;
}
static inline lw_arg lw_arg_uint(uint64_t v)
{
    lw_arg a = {LW_ARG_UINT, {0}};
    a.as.u = v;
    return a;
}
static inline lw_arg lw_arg_real(double v)
{
    lw_arg a = {LW_ARG_REAL, {0}};
    a.as.f = v;
    return a;
}
static inline lw_arg lw_arg_buffer(lw_buffer *v)
{
    lw_arg a = {LW_ARG_BUFFER, {0}};
    a.as.buffer = v;
    return a;
}
static inline lw_arg lw_arg_tensor(lw_tensor v)
{
    lw_arg a = {LW_ARG_TENSOR, {0}};
    a.as.tensor = v;
    return a;
}
static inline lw_arg lw_arg_bytes(const void *data, size_t size)
{
    lw_arg a = {LW_ARG_BYTES, {0}};
    a.as.bytes.data = data;
    a.as.bytes.size = size;
    return a;
}
static inline lw_arg lw_arg_address(const void *v)
{
    lw_arg a = {LW_ARG_ADDRESS, {0}};
    a.as.address = v;
    return a;
}
static inline lw_arg lw_arg_same(lw_arg v) { return v; }
static inline lw_dim3 lw_dim_3(uint32_t x, uint32_t y, uint32_t z)
{
    lw_dim3 d = {x, y, z};
    return d;
}
static inline lw_dim3 lw_dim_2(uint32_t x, uint32_t y) { return lw_dim_3(x, y, 1); }
static inline lw_dim3 lw_dim_1(uint32_t x) { return lw_dim_3(x, 1, 1); }
static inline lw_dim3 lw_dim_same(lw_dim3 d) { return d; }

/* LW_LAUNCH(stream, kernel, grid, block, arguments...) - lw_stream_launch_noted with the arguments
 * tagged by their C types. The caller may ignore its lw_status: the next wait for the stream gives
 * the error of a launch that was refused. grid and block are integers or lw_dim3. There are 1 to 24
 * arguments; a struct is passed as lw_arg_bytes(&s, sizeof s). */
#ifdef __cplusplus
#define LW_LAUNCH(stream, kernel, grid, block, ...)                                                \
    lw__launch(stream, kernel, lw__dim(grid), lw__dim(block), __VA_ARGS__)

inline lw_arg lw__arg(float v) { return lw_arg_real(v); }
inline lw_arg lw__arg(double v) { return lw_arg_real(v); }
inline lw_arg lw__arg(lw_buffer *v) { return lw_arg_buffer(v); }
inline lw_arg lw__arg(lw_tensor v) { return lw_arg_tensor(v); }
inline lw_arg lw__arg(lw_arg v) { return v; }
inline lw_arg lw__arg(bool v) { return lw_arg_uint(v); }
inline lw_arg lw__arg(unsigned char v) { return lw_arg_uint(v); }
inline lw_arg lw__arg(unsigned short v) { return lw_arg_uint(v); }
inline lw_arg lw__arg(unsigned v) { return lw_arg_uint(v); }
inline lw_arg lw__arg(unsigned long v) { return lw_arg_uint(v); }
inline lw_arg lw__arg(unsigned long long v) { return lw_arg_uint(v); }
inline lw_arg lw__arg(int v) { return lw_arg_int(v); } /* also of what is promoted to it */
inline lw_arg lw__arg(long v) { return lw_arg_int(v); }
inline lw_arg lw__arg(long long v) { return lw_arg_int(v); }

template <class T> lw_dim3 lw__dim(T x) { return lw_dim_1(static_cast<uint32_t>(x)); }
inline lw_dim3 lw__dim(lw_dim3 d) { return d; }

template <class... T>
lw_status lw__launch(lw_stream *stream, lw_kernel *kernel, lw_dim3 grid, lw_dim3 block, T... v)
{
    const lw_arg args[] = {lw__arg(v)...};
    return lw_stream_launch_noted(stream, kernel, grid, block, nullptr, args, sizeof...(v));
}
#else
#define LW_LAUNCH(stream, kernel, grid, block, ...)                                                \
    lw_stream_launch_noted(stream, kernel, LW__DIM(grid), LW__DIM(block), NULL,                    \
                           (const lw_arg[]){LW__EACH(__VA_ARGS__)},                                \
                           sizeof((const lw_arg[]){LW__EACH(__VA_ARGS__)}) / sizeof(lw_arg))

#define LW__DIM(d) _Generic((d), lw_dim3: lw_dim_same, default: lw_dim_1)(d)
#define LW__ARG(a)                                                                                 \
    _Generic((a), float: lw_arg_real, double: lw_arg_real, lw_buffer *: lw_arg_buffer,             \
        lw_tensor: lw_arg_tensor, lw_arg: lw_arg_same, unsigned char: lw_arg_uint,                 \
        unsigned short: lw_arg_uint, unsigned: lw_arg_uint, unsigned long: lw_arg_uint,            \
        unsigned long long: lw_arg_uint, bool: lw_arg_uint, default: lw_arg_int)(a)
#define LW__COUNT(...)                                                                             \
    LW__COUNT_(__VA_ARGS__, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7,   \
               6, 5, 4, 3, 2, 1, 0)
#define LW__COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, N, ...) N
#define LW__JOIN(a, b) LW__JOIN_(a, b)
#define LW__JOIN_(a, b) a##b
#define LW__EACH(...) LW__JOIN(LW__EACH_, LW__COUNT(__VA_ARGS__))(__VA_ARGS__)
#define LW__EACH_1(a) LW__ARG(a)
#define LW__EACH_2(a, ...) LW__ARG(a), LW__EACH_1(__VA_ARGS__)
#define LW__EACH_3(a, ...) LW__ARG(a), LW__EACH_2(__VA_ARGS__)
#define LW__EACH_4(a, ...) LW__ARG(a), LW__EACH_3(__VA_ARGS__)
#define LW__EACH_5(a, ...) LW__ARG(a), LW__EACH_4(__VA_ARGS__)
#define LW__EACH_6(a, ...) LW__ARG(a), LW__EACH_5(__VA_ARGS__)
#define LW__EACH_7(a, ...) LW__ARG(a), LW__EACH_6(__VA_ARGS__)
#define LW__EACH_8(a, ...) LW__ARG(a), LW__EACH_7(__VA_ARGS__)
#define LW__EACH_9(a, ...) LW__ARG(a), LW__EACH_8(__VA_ARGS__)
#define LW__EACH_10(a, ...) LW__ARG(a), LW__EACH_9(__VA_ARGS__)
#define LW__EACH_11(a, ...) LW__ARG(a), LW__EACH_10(__VA_ARGS__)
#define LW__EACH_12(a, ...) LW__ARG(a), LW__EACH_11(__VA_ARGS__)
#define LW__EACH_13(a, ...) LW__ARG(a), LW__EACH_12(__VA_ARGS__)
#define LW__EACH_14(a, ...) LW__ARG(a), LW__EACH_13(__VA_ARGS__)
#define LW__EACH_15(a, ...) LW__ARG(a), LW__EACH_14(__VA_ARGS__)
#define LW__EACH_16(a, ...) LW__ARG(a), LW__EACH_15(__VA_ARGS__)
#define LW__EACH_17(a, ...) LW__ARG(a), LW__EACH_16(__VA_ARGS__)
#define LW__EACH_18(a, ...) LW__ARG(a), LW__EACH_17(__VA_ARGS__)
#define LW__EACH_19(a, ...) LW__ARG(a), LW__EACH_18(__VA_ARGS__)
#define LW__EACH_20(a, ...) LW__ARG(a), LW__EACH_19(__VA_ARGS__)
#define LW__EACH_21(a, ...) LW__ARG(a), LW__EACH_20(__VA_ARGS__)
#define LW__EACH_22(a, ...) LW__ARG(a), LW__EACH_21(__VA_ARGS__)
#define LW__EACH_23(a, ...) LW__ARG(a), LW__EACH_22(__VA_ARGS__)
#define LW__EACH_24(a, ...) LW__ARG(a), LW__EACH_23(__VA_ARGS__)
#endif
#endif
