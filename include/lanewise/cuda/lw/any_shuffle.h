/* any_shuffle.h - shuffles of any type that can be copied as bytes, by words of 4 or 8 bytes. */
#ifndef LANEWISE_CUDA_ANY_SHUFFLE_H
#define LANEWISE_CUDA_ANY_SHUFFLE_H

#include "together.h"

/* `move` takes a word to another lane. */
template <class T, class Move> LW_DEVICE T lw_moved(const T &v, Move move)
{
    if constexpr (sizeof(T) == 8) {
        return __builtin_bit_cast(T, move(__builtin_bit_cast(unsigned long, v)));
    } else if constexpr (sizeof(T) == 4) {
        return __builtin_bit_cast(T, move(__builtin_bit_cast(unsigned, v)));
    } else {
        constexpr int count = (sizeof(T) + 3) / 4;
        unsigned words[count] = {};
        __builtin_memcpy(words, &v, sizeof(T));
        for (int i = 0; i < count; i++)
            words[i] = move(words[i]);
        T result;
        __builtin_memcpy(&result, words, sizeof(T));
        return result;
    }
}
template <class T> LW_DEVICE T lw_any_shuffle(const T &v, int source, int width)
{
    return lw_moved(v, [=](auto word) { return lw_section_shuffle(word, source, width); });
}
template <class T> LW_DEVICE T lw_any_up(const T &v, unsigned n, int width)
{
    return lw_moved(v, [=](auto word) { return lw_section_up(word, n, width); });
}
template <class T> LW_DEVICE T lw_any_down(const T &v, unsigned n, int width)
{
    return lw_moved(v, [=](auto word) { return lw_section_down(word, n, width); });
}
template <class T> LW_DEVICE T lw_any_xor(const T &v, int mask, int width)
{
    return lw_moved(v, [=](auto word) { return lw_section_xor(word, mask, width); });
}

#endif
