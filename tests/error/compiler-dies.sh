# compiler-dies.sh - a compiler that a signal ends, or LLVM, says in which pass, for which kernel
# and near which line, and is status 5 of the command.
cat >k.c <<'END'
#include <lanewise/kernel.h>

KERNEL void twice(int *o)
{
    o[thread_idx.x] *= 2;
}
END

# expect STATUS TEXT COMMAND...
expect() {
    status=$1 text=$2
    shift 2
    "$@" >out 2>err
    got=$?
    [ "$got" -eq "$status" ] || { echo "status $got, not $status: $*" && cat err && exit 1; }
    grep -qF "$text" err || { echo "no '$text': $*" && cat err && exit 1; }
}

# A clang that ends the compiler.
printf '#!/bin/sh\nkill -ABRT $PPID\n' >clang
chmod +x clang
export LANEWISE_CACHE_DIR="$TMP/cache"
run() { "$LANEWISE" run -d ref k.c -b 4 'i32[4]'; }
LANEWISE_CLANG=$TMP/clang expect 5 \
    "lanewise-compile was ended by signal SIGABRT (6) on 'k.c', in pass front" run
LANEWISE_CLANG=$TMP/clang expect 5 "lanewise-compile: in pass front" "$LANEWISE" show k.c --stage ir
# Sanitizers catch some of the signals themselves.
case $BUILD in *san*) exit 0 ;; esac
cat >late.c <<'END'
/* The compiler ends when it opens the file for the linker. */
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int memfd_create(const char *name, unsigned flags);

int memfd_create(const char *name, unsigned flags)
{
    if (!strcmp(name, "lanewise-object"))
        raise(SIGSEGV);
    return (int)syscall(SYS_memfd_create, name, flags);
}
END
$CC -shared -fPIC -o late.so late.c
printf '#!/bin/sh\nLD_PRELOAD=%s/late.so exec %s "$@"\n' "$TMP" \
    "$BUILD/src/compile/lanewise-compile" >late
chmod +x late
LANEWISE_COMPILE=$TMP/late expect 5 \
    "was ended by signal SIGSEGV (11) on 'k.c', in pass linked, kernel 'twice' at k.c:3" run

# What LLVM's code generator does not know, it ends the process for.
cat >k.ll <<'END'
target triple = "x86_64-unknown-linux-gnu"
define win64cc void @k(ptr %o) {
  %x = load float, ptr %o
  %y = call float @llvm.canonicalize.f32(float %x)
  store float %y, ptr %o
  ret void
}
declare float @llvm.canonicalize.f32(float)
END
"$BUILD/src/compile/lanewise-compile" --pass object --device ref k.ll >out 2>err && exit 1
grep -q 'LLVM ERROR: Cannot select' err || { cat err && exit 1; }
grep -qx "lanewise-compile: in pass object, kernel 'k'" err || { cat err && exit 1; }

# No compiler at all.
LANEWISE_COMPILE=$TMP/none expect 5 "LANEWISE_COMPILE names" run
