/* xla_ffi.h - the C interface of XLA to handlers, as far as xla.c uses it.
 *
 * Copyright 2023 The OpenXLA Authors, Apache License 2.0: shortened from xla/ffi/api/c_api.h, which
 * comes with jaxlib, version 0.3. These types have the same layout in versions 0.1 to 0.3; so
 * neither building nor running needs JAX's headers. python/tests/test_jax_bridge.py compares both.
 *
 * Every struct begins with its size, as its maker knows it. An array of a frame has `size` entries.
 */
#ifndef LANEWISE_PYTHON_XLA_FFI_H
#define LANEWISE_PYTHON_XLA_FFI_H

#include <stddef.h>
#include <stdint.h>

enum { XLA_FFI_API_MAJOR = 0, XLA_FFI_API_MINOR = 3 };

typedef struct XLA_FFI_Api XLA_FFI_Api;
typedef struct XLA_FFI_Error XLA_FFI_Error;
typedef struct XLA_FFI_ExecutionContext XLA_FFI_ExecutionContext;

typedef enum XLA_FFI_Extension_Type { XLA_FFI_Extension_Metadata = 1 } XLA_FFI_Extension_Type;

typedef struct XLA_FFI_Extension_Base {
    size_t struct_size;
    XLA_FFI_Extension_Type type;
    struct XLA_FFI_Extension_Base *next;
} XLA_FFI_Extension_Base;

typedef struct XLA_FFI_Api_Version {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    int major_version, minor_version;
} XLA_FFI_Api_Version;

typedef enum XLA_FFI_Error_Code {
    XLA_FFI_Error_Code_UNKNOWN = 2,
    XLA_FFI_Error_Code_INVALID_ARGUMENT = 3,
    XLA_FFI_Error_Code_DEADLINE_EXCEEDED = 4,
    XLA_FFI_Error_Code_RESOURCE_EXHAUSTED = 8,
    XLA_FFI_Error_Code_FAILED_PRECONDITION = 9,
    XLA_FFI_Error_Code_ABORTED = 10,
    XLA_FFI_Error_Code_UNIMPLEMENTED = 12,
    XLA_FFI_Error_Code_INTERNAL = 13,
    XLA_FFI_Error_Code_UNAVAILABLE = 14,
} XLA_FFI_Error_Code;

/* The message is copied; the error belongs to who gets it, which is XLA where a handler returns. */
typedef struct XLA_FFI_Error_Create_Args {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    const char *message;
    XLA_FFI_Error_Code errc;
} XLA_FFI_Error_Create_Args;

typedef struct XLA_FFI_Error_Destroy_Args {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    XLA_FFI_Error *error;
} XLA_FFI_Error_Destroy_Args;

typedef enum XLA_FFI_DataType {
    XLA_FFI_DataType_PRED = 1,
    XLA_FFI_DataType_S8 = 2,
    XLA_FFI_DataType_S16 = 3,
    XLA_FFI_DataType_S32 = 4,
    XLA_FFI_DataType_S64 = 5,
    XLA_FFI_DataType_U8 = 6,
    XLA_FFI_DataType_U16 = 7,
    XLA_FFI_DataType_U32 = 8,
    XLA_FFI_DataType_U64 = 9,
    XLA_FFI_DataType_F16 = 10,
    XLA_FFI_DataType_F32 = 11,
    XLA_FFI_DataType_F64 = 12,
    XLA_FFI_DataType_BF16 = 16,
} XLA_FFI_DataType;

/* In C order: a handler gets other layouts only if the call asks for them. */
typedef struct XLA_FFI_Buffer {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    XLA_FFI_DataType dtype;
    void *data;
    int64_t rank;
    int64_t *dims; /* (rank) */
} XLA_FFI_Buffer;

typedef enum XLA_FFI_ArgType { XLA_FFI_ArgType_BUFFER = 1 } XLA_FFI_ArgType;
typedef enum XLA_FFI_RetType { XLA_FFI_RetType_BUFFER = 1 } XLA_FFI_RetType;
typedef enum XLA_FFI_AttrType { XLA_FFI_AttrType_STRING = 4 } XLA_FFI_AttrType;

typedef struct XLA_FFI_ByteSpan { /* without a NUL at its end */
    const char *ptr;
    size_t len;
} XLA_FFI_ByteSpan;

typedef enum XLA_FFI_ExecutionStage {
    XLA_FFI_ExecutionStage_INSTANTIATE = 0,
    XLA_FFI_ExecutionStage_EXECUTE = 3
} XLA_FFI_ExecutionStage;

typedef struct XLA_FFI_Args {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    int64_t size;
    XLA_FFI_ArgType *types;
    void **args;
} XLA_FFI_Args;

typedef struct XLA_FFI_Rets {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    int64_t size;
    XLA_FFI_RetType *types;
    void **rets;
} XLA_FFI_Rets;

typedef struct XLA_FFI_Attrs {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    int64_t size;
    XLA_FFI_AttrType *types;
    XLA_FFI_ByteSpan **names;
    void **attrs;
} XLA_FFI_Attrs;

typedef struct XLA_FFI_CallFrame {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    const XLA_FFI_Api *api;
    XLA_FFI_ExecutionContext *ctx;
    XLA_FFI_ExecutionStage stage;
    XLA_FFI_Args args;
    XLA_FFI_Rets rets;
    XLA_FFI_Attrs attrs;
    void *future;
} XLA_FFI_CallFrame;

typedef XLA_FFI_Error *XLA_FFI_Handler(XLA_FFI_CallFrame *frame);

/* stream: a CUstream on CUDA. */
typedef struct XLA_FFI_Stream_Get_Args {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    XLA_FFI_ExecutionContext *ctx;
    void *stream;
} XLA_FFI_Stream_Get_Args;

typedef struct XLA_FFI_DeviceOrdinal_Get_Args {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    XLA_FFI_ExecutionContext *ctx;
    int32_t device_ordinal;
} XLA_FFI_DeviceOrdinal_Get_Args;

/* What XLA asks a handler when it is registered: the version that the handler was built for. */
typedef struct XLA_FFI_Metadata {
    size_t struct_size;
    XLA_FFI_Api_Version api_version;
    uint32_t traits; /* newer versions have a field after it, which XLA sets */
} XLA_FFI_Metadata;

typedef struct XLA_FFI_Metadata_Extension {
    XLA_FFI_Extension_Base extension_base;
    XLA_FFI_Metadata *metadata;
} XLA_FFI_Metadata_Extension;

struct XLA_FFI_Api {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    XLA_FFI_Api_Version api_version;
    const void *internal_api;
    XLA_FFI_Error *(*XLA_FFI_Error_Create)(XLA_FFI_Error_Create_Args *args);
    void (*XLA_FFI_Error_GetMessage)(void *args);
    void (*XLA_FFI_Error_Destroy)(XLA_FFI_Error_Destroy_Args *args);
    void (*XLA_FFI_Handler_Register)(void *args);
    XLA_FFI_Error *(*XLA_FFI_Stream_Get)(XLA_FFI_Stream_Get_Args *args);
    void (*unused[12])(void);
    XLA_FFI_Error *(*XLA_FFI_DeviceOrdinal_Get)(XLA_FFI_DeviceOrdinal_Get_Args *args);
};

#endif
