/* textures.h - functions of textures and surfaces, declared so that files which use them are read.
 *
 * They have no body: the compiler refuses the kernel that calls one, and builds the others.
 */
#ifndef LANEWISE_CUDA_TEXTURES_H
#define LANEWISE_CUDA_TEXTURES_H

#include "runtime_types.h"

#define LW_TEXTURE(name, ...)                                                                      \
    template <class T> __device__ T name(cudaTextureObject_t, __VA_ARGS__);                        \
    template <class T> __device__ void name(T *, cudaTextureObject_t, __VA_ARGS__);
LW_TEXTURE(tex1Dfetch, int x)
LW_TEXTURE(tex1D, float x)
LW_TEXTURE(tex1DLod, float x, float level)
LW_TEXTURE(tex1DLayered, float x, int layer)
LW_TEXTURE(tex2D, float x, float y)
LW_TEXTURE(tex2DLod, float x, float y, float level)
LW_TEXTURE(tex2DGrad, float x, float y, float2 dx, float2 dy)
LW_TEXTURE(tex2DLayered, float x, float y, int layer)
LW_TEXTURE(tex2Dgather, float x, float y, int component = 0)
LW_TEXTURE(tex3D, float x, float y, float z)
LW_TEXTURE(tex3DLod, float x, float y, float z, float level)
LW_TEXTURE(texCubemap, float x, float y, float z)
LW_TEXTURE(texCubemapLayered, float x, float y, float z, int layer)
#undef LW_TEXTURE

#define LW_MODE cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap
#define LW_SURFACE(dimensions, ...)                                                                \
    template <class T> __device__ T dimensions##read(cudaSurfaceObject_t, __VA_ARGS__, LW_MODE);   \
    template <class T>                                                                             \
    __device__ void dimensions##read(T *, cudaSurfaceObject_t, __VA_ARGS__, LW_MODE);              \
    template <class T>                                                                             \
    __device__ void dimensions##write(T, cudaSurfaceObject_t, __VA_ARGS__, LW_MODE);
LW_SURFACE(surf1D, int x)
LW_SURFACE(surf2D, int x, int y)
LW_SURFACE(surf3D, int x, int y, int z)
LW_SURFACE(surf1DLayered, int x, int layer)
LW_SURFACE(surf2DLayered, int x, int y, int layer)
LW_SURFACE(surfCubemap, int x, int y, int face)
#undef LW_SURFACE
#undef LW_MODE

#endif
