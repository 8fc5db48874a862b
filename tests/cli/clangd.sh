# Kernel files are ordinary C for clangd: no errors, with the one flag that says where the header
# is. An older clangd than the clang that compiles kernels may not know all of their types
# (_Float16).
clangd=$(command -v clangd-19 || command -v clangd) || { echo "no clangd here"; exit 77; }
version=$("$clangd" --version | sed -n 's/.*clangd version \([0-9][0-9]*\).*/\1/p')
[ "${version:-0}" -ge 19 ] || { echo "clangd ${version:-?} here, 19 is needed"; exit 77; }
printf -- '-xc\n-I%s/include\n' "$SOURCE" >compile_flags.txt
for file in "$SOURCE"/examples/dot.c "$SOURCE"/examples/puzzles/*/solution.c \
            "$SOURCE"/tests/kernel/tensor*.c "$SOURCE"/tests/kernel/atomic*.c; do
    [ -f "$file" ] || continue
    cp "$file" k.c
    "$clangd" --check=k.c --check-lines=1-1 --log=error >out 2>&1 \
        || { echo "$file:"; cat out; exit 1; }
    if grep -E '^E\[.*\] \[' out; then echo "$file"; exit 1; fi
done
