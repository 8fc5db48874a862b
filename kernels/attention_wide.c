/* attention_wide.c - attention for processors with vectors of 512 bits; see attention.c.
 *
 *     attention_stream_A    few queries: a block a row of out
 *     attention_panel_A     many: a block a gang of queries; depths of at most a chain
 *
 * numeric  docs/order.md, attention
 */
#include "attention.h"

#define TEAM 128
#define FEW 32

#include "matmul_float.inc"
#include "attention_part.inc"
#include "attention_rows.inc"
#include "attention_finish.inc"
#include "attention_stream_cpu.inc"
#define GANG 64
#include "attention_panel.inc"

#include "matmul_double.inc"
#include "attention_part.inc"
#include "attention_rows.inc"
#include "attention_finish.inc"
#include "attention_stream_cpu.inc"
#define GANG 32
#include "attention_panel.inc"
