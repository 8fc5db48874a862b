# `make install` into a prefix of one's own gives a command, a library, pkg-config files and a CMake
# package that work together there, also when the source tree is gone and the prefix has been moved.
# DESTDIR puts the same files under another root. Where the user may not write, a sentence says so.
# The Python package goes where that Python looks: below /usr/local Debian's has its own folder.
# not under sanitizers: it is about places, and what is installed runs in other tests
set -eu

if find "$BUILD" -name liblanewise.so -exec nm -D {} + | grep -q __asan_init; then
    echo "a sanitizer's build is not installed"
    exit 77
fi

mkdir source
(cd "$SOURCE" && tar cf - --exclude=./.git --exclude='./build*' .) | (cd source && tar xf -)
# Meson would build the programs of tests for an install, too.
sed -i "/subdir('tests\//d; /subdir('bench')/d" source/meson.build
sed -i '/^test(/,/^  suite/d' source/src/compile/meson.build
# The copy has a build of its own, with the objects and the operations' kernels of the build under
# test: they take longer than the rest. A source that names a place of its build is compiled.
cat >compiler <<'C'
#!/bin/sh
object='' last='' places=''
for word; do
    [ "$last" != -o ] || object=$word
    last=$word
    case $word in
    -D*=\"/*)
        word=${word#-D}
        places="$places -e ${word%%=*}"
        ;;
    esac
done
# shellcheck disable=SC2086 # words
case $object in
*.o)
    [ ! -f "$TESTED/$object" ] || { [ -n "$places" ] && grep -q $places "$last"; } ||
        exec cp "$TESTED/$object" "$object"
    ;;
esac
exec $REAL_CC "$@"
C
chmod +x compiler
# install_to PREFIX [DESTDIR]; BUILD is the build under test in the environment
install_to()
{
    TESTED=$BUILD REAL_CC=$CC CC=$TMP/compiler make -C source BUILD=build install \
        MESON_FLAGS="-Dops_objects=$BUILD/src/ops" PREFIX="$1" DESTDIR="${2-}" >log 2>&1 ||
        { cat log; exit 1; }
}
install_to /usr/local "$TMP/image"
install_to "$TMP/prefix"
install_to /usr "$TMP/image"

# A folder in which nobody may write, not even root: it is a file's.
touch closed
if make -C source BUILD=build install PREFIX="$TMP/closed/prefix" >log 2>&1; then exit 1; fi
grep -q "make install: $TMP/closed cannot be written by .*PREFIX=.*sudo" log || { cat log; exit 1; }
if [ "$(id -u)" = 0 ]; then
    mkdir -m 700 image/mine
    as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
    cp source/scripts/install-place .
    if $as_nobody ./install-place "$TMP/image/mine" >log 2>&1; then exit 1; fi
    grep -q "make install: .* cannot be written by nobody; need" log ||
        { cat log; exit 1; }
    rmdir image/mine
fi
cp source/examples/dot.c .
rm -r source
mv prefix moved

# In lib on every system: Debian's pkg-config looks there below /usr/local, and not in lib64.
PKG_CONFIG_PATH=$TMP/moved/lib/pkgconfig
[ -f "$PKG_CONFIG_PATH/lanewise.pc" ] || { find "$TMP/moved" -name '*.pc'; exit 1; }
export PKG_CONFIG_PATH
cat >host.c <<'C'
#include <lanewise/lanewise.h>
#include <stdio.h>

int main(void)
{
    lw_build_options options = {.source = "#include <lanewise/kernel.h>\n"
                                          "KERNEL void twice(int *x) { x[thread_idx.x] *= 2; }\n"};
    int values[4] = {1, 2, 3, 4};
    lw_device *device = NULL;
    lw_program *program = NULL;
    lw_kernel *kernel;
    lw_buffer *buffer = NULL;
    lw_stream *stream = NULL;
    if (lw_device_open("ref", &device) || lw_program_build(device, NULL, &options, &program) ||
        lw_program_kernel(program, "twice", &kernel) ||
        lw_buffer_create(device, LW_I32, 4, &buffer) || lw_buffer_write(buffer, 0, 4, values) ||
        lw_stream_create(device, &stream) || LW_LAUNCH(stream, kernel, 1, 4, buffer) ||
        lw_stream_wait(stream) || lw_buffer_read(buffer, 0, 4, values)) {
        fprintf(stderr, "%s\n", lw_last_error());
        return 1;
    }
    printf("%d %d %d %d\n", values[0], values[1], values[2], values[3]);
    lw_stream_destroy(stream);
    lw_buffer_destroy(buffer);
    lw_program_destroy(program);
    lw_device_close(device);
    return 0;
}
C
libraries=$(pkg-config --libs lanewise)
# shellcheck disable=SC2046,SC2086 # flags are words
"$CC" -std=c11 $(pkg-config --cflags lanewise) host.c -o host $libraries
./host >out
echo "2 4 6 8" | diff - out

# The C library's headers may be in the same folder, as in /usr/include; kernels do not see them.
echo '#error "not for kernels"' | tee "$TMP/moved/include/limits.h" >"$TMP/moved/include/math.h"
"$TMP/moved/bin/lanewise" run dot.c 'f64[1]' 'f32[8]=iota' 'f32[8]=iota' 8 >out
echo "out: f64[1] = [140.0]" | diff - out
rm "$TMP/moved/include/limits.h" "$TMP/moved/include/math.h"
# The puzzles are installed, too.
"$TMP/moved/bin/lanewise" learn dot >log
cmp "$TMP/moved/share/lanewise/puzzles/dot/skeleton.c" lanewise-puzzles/dot.c
"$TMP/moved/bin/lanewise" init >log
grep -qFx -- "-I$TMP/moved/libexec/lanewise/include" compile_flags.txt || {
    cat compile_flags.txt
    exit 1
}

# An object ahead of time.
cat >ahead.c <<'C'
#include "dot.h"
#include <stdio.h>

int main(void)
{
    lw_program *program;

    if (dot_program(NULL, &program) != LW_E_ARG)
        return 1;
    puts(lw_last_error());
    return 0;
}
C
"$TMP/moved/bin/lanewise" cc dot.c -o dot.o --header dot.h -b 64
# shellcheck disable=SC2046,SC2086 # flags are words
"$CC" -std=c11 $(pkg-config --cflags lanewise) ahead.c dot.o -o ahead $libraries
./ahead >out
echo "the device is NULL" | diff - out

# The library of operations, from its own pkg-config file.
cat >view.c <<'C'
#include <lanewise/ops.h>
#include <stdio.h>

int main(void)
{
    lw_tensor t;

    if (lw_tensor_of(NULL, 0, NULL, &t) != LW_E_ARG)
        return 1;
    puts(lw_last_error());
    return 0;
}
C
# shellcheck disable=SC2046 # flags are words
"$CC" -std=c11 $(pkg-config --cflags lanewise-ops) view.c -o view $(pkg-config --libs lanewise-ops)
./view >out
echo "the buffer is NULL" | diff - out

# The same by CMake.
if command -v cmake >/dev/null; then
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(host C)
find_package(Lanewise 0.1 REQUIRED)
add_executable(host host.c)
target_link_libraries(host Lanewise::lanewise)
add_executable(view view.c)
target_link_libraries(view Lanewise::ops)
CMAKE
    { cmake -S . -B built -DCMAKE_PREFIX_PATH="$TMP/moved" && cmake --build built; } >log 2>&1 ||
        { cat log; exit 1; }
    built/host >out
    echo "2 4 6 8" | diff - out
    built/view >out
    echo "the buffer is NULL" | diff - out
    # As where /lib is a link to /usr/lib: the headers are not in /include.
    mkdir merged
    ln -s ../moved/lib merged/lib
    { cmake -S . -B linked -DCMAKE_PREFIX_PATH="$TMP/merged" && cmake --build linked; } >log 2>&1 ||
        { cat log; exit 1; }
    sed 's/Lanewise 0.1/Lanewise 99/' CMakeLists.txt >other && mv other CMakeLists.txt
    if cmake -S . -B newer -DCMAKE_PREFIX_PATH="$TMP/moved" >log 2>&1; then exit 1; fi
fi

for file in bin/lanewise share/man/man1/lanewise.1 share/bash-completion/completions/lanewise \
    share/bash-completion/completions/lanewise.bash include/lanewise/lanewise.h \
    include/lanewise/kernel.h include/lanewise/ops.h; do
    [ -f "$TMP/image/usr/$file" ] || { echo "DESTDIR lacks usr/$file"; exit 1; }
done

# In /usr nothing names a folder that the loader knows.
find image/usr -path image/usr/local -prune -o -type f -exec sh -c \
    'readelf -d "$1" 2>/dev/null | grep -q "R.*PATH" && echo "$1 has an rpath"' sh {} \; >log
[ ! -s log ] || { cat log; exit 1; }

# The Python package, for the Python that Meson runs in, if its headers were there.
python=$(sed -n 's/^#! *//p;q' "$(command -v meson)")
core=$(find "$TMP/moved" -name _core.abi3.so)
[ -n "$core" ] || exit 0
cat >look.py <<'P'
import importlib.util, os, site, sys
image, core = sys.argv[1:]
for prefix in "/usr/local/", "/usr/lib":
    folders = [f for f in site.getsitepackages() if f.startswith(prefix)]
    there = [f for f in folders if os.path.exists(f"{image}{f}/lanewise/__init__.py")]
    assert there or not folders, f"{image}: the package is in none of {folders}"
spec = importlib.util.spec_from_file_location("_core", core)
spec.loader.exec_module(importlib.util.module_from_spec(spec))
P
"$python" look.py "$TMP/image" "$core"
