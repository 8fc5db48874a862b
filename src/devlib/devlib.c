/* devlib.c - the device library as one translation unit; devlib.h says what it is. The parts build
 * on each other in this order.
 */
#include "devlib.h"

#include "maths_f32.c"
#include "trig_f32.c"
#include "maths_f64.c"
#include "trig_f64.c"
#include "parts.c"
#include "more_f32.c"
#include "more_f64.c"
#include "half.c"
#include "atomic.c"
#include "inline_ptx.c"
