/* type_layout.c - what a parameter's type says of its arguments. */
#include "run/program/program.h"
#include "text/layout.h"

lw_status lw__layout_read(const char *layout, lw_param *param, size_t *bytes)
{
    struct lw__type *type;

    LW_TRY(lw__type_read(layout, &type));
    const bool is_pointer = type->form == LW_POINTER || type->form == LW_TENSOR;
    const struct lw__type *inner = is_pointer ? type->inner : NULL;
    const bool is_fit = type->form != LW_VOID && type->form != LW_ARRAY &&
                        (type->form != LW_TENSOR || inner->form != LW_VOID);
    *bytes = type->bytes;
    if (type->form == LW_SCALAR) {
        param->kind = LW_PARAM_SCALAR;
        param->has_dtype = true;
        param->dtype = type->dtype;
    } else if (!is_pointer) {
        param->kind = LW_PARAM_STRUCT;
    } else {
        param->kind = type->form == LW_POINTER ? LW_PARAM_POINTER : LW_PARAM_TENSOR;
        param->is_const = type->is_const;
        param->has_dtype = inner->form == LW_SCALAR || inner->form == LW_VECTOR;
        param->dtype = inner->dtype;
        param->element_bytes = inner->bytes;
        param->rank = (int)type->count;
    }
    lw__type_free(type);
    return is_fit ? LW_OK : LW_E_INTERNAL;
}
