/* cuda_pipeline_primitives.h - cuda_pipeline.h has all. */
#ifndef LANEWISE_CUDA_CUDA_PIPELINE_PRIMITIVES_H
#define LANEWISE_CUDA_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_pipeline.h"

#endif
