# Python with its faulthandler, set before Lanewise's handler or after it: a kernel's fault is an
# error of its stream, Python's own fault ends it as ever.
command -v python3 >/dev/null && python3 -c 'import ctypes, faulthandler' 2>/dev/null ||
    { echo "no python3 here"; exit 77; }
if nm -D "$BUILD/src/run/liblanewise.so" | grep -q __asan_init; then
    echo "python3 does not load a sanitizer's library"
    exit 77
fi
cat >k.c <<'K'
#include <lanewise/kernel.h>
KERNEL void far(float *x)
{
    x[global_idx.x] = 1;
}
K
cat >host.py <<'P'
import ctypes, faulthandler, sys
order, own = sys.argv[2], sys.argv[3] == "own"
lw = ctypes.CDLL(sys.argv[1])
lw.lw_last_error.restype = ctypes.c_char_p
dim3 = ctypes.c_uint32 * 3

class Dim(ctypes.Structure):
    _fields_ = [("size", dim3)]

class Arg(ctypes.Structure): # of one launch: no other lies behind it
    _fields_ = [("kind", ctypes.c_int), ("buffer", ctypes.c_void_p), ("rest", ctypes.c_char * 256)]

def works(status):
    if status:
        sys.exit("status %d: %s" % (status, lw.lw_last_error().decode()))

def make(call, *args):
    made = ctypes.c_void_p()
    works(call(*args, ctypes.byref(made)))
    return made

if order == "before":
    faulthandler.enable()
works(lw.lw_trap_faults())
if order == "after":
    faulthandler.enable()
device = make(lw.lw_device_open, b"cpu")
program = make(lw.lw_program_build, device, b"k.c", None)
kernel = make(lw.lw_program_kernel, program, b"far")
F32, BUFFER, E_LAUNCH = 11, 3, -7
buffer = make(lw.lw_buffer_create, device, F32, ctypes.c_size_t(1024))
for blocks, status in (4, 0), (5, E_LAUNCH), (5, E_LAUNCH), (4, 0):
    stream = make(lw.lw_stream_create, device)
    arg = Arg(BUFFER, buffer)
    works(lw.lw_stream_launch(stream, kernel, Dim(dim3(blocks, 1, 1)), Dim(dim3(256, 1, 1)), None,
                              ctypes.byref(arg), ctypes.c_size_t(1)))
    got = lw.lw_stream_wait(stream)
    if got != status:
        sys.exit("%d blocks: status %d" % (blocks, got))
    if status:
        print(lw.lw_last_error().decode(), flush=True)
    lw.lw_stream_destroy(stream)
if own:
    ctypes.string_at(8)
P
export LANEWISE_BOUNDS=0
LANEWISE_COMPILE=$BUILD/src/compile/lanewise-compile
library=$BUILD/src/run/liblanewise.so
export LANEWISE_COMPILE
for order in before after never; do
    python3 host.py "$library" $order no >out 2>err || { cat out err; exit 1; }
    [ "$(grep -c "kernel 'far' accessed memory outside its buffers" out)" = 2 ] ||
        { cat out err; exit 1; }
    status=0
    { python3 host.py "$library" $order own >out 2>err; } 2>/dev/null || status=$?
    [ $status = 139 ] || { echo "own fault, $order: status $status"; cat out err; exit 1; }
done
exit 0
