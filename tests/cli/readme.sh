# The README's own kernel, as it is pasted: it prints what the README says, for any number of
# blocks.
set -eu

line=$(grep "^    printf '#include <lanewise/kernel.h>" "$SOURCE/README.md")
said=$(grep '^    x: f64\[10\] = ' "$SOURCE/README.md")
[ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ]
mkdir build
ln -s "$LANEWISE" build/lanewise
eval "$line" >out
printf '%s\n' "$said" | sed 's/^ *//' | diff - out
[ -s halved.npy ]

# Enough elements for four blocks of 256 threads, and for eight turns of four blocks of 8.
build/lanewise run halve.c 'f64[2000]=iota:once.npy' >/dev/null
for launch in '-g 1' '-g 4' '-g 4 -b 8' '-g 64'; do
    again=$(printf '%s\n' "$line" |
        sed "s/ run halve.c / run halve.c $launch /; s/\[10\]=iota:halved/[2000]=iota:more/")
    eval "$again" >/dev/null
    cmp once.npy more.npy
done
build/lanewise run halve.c --json 'f64[2000]=iota' | tr -d ' \n' >all
grep -q '\[0.0,0.5,1.0,.*,999.0,999.5\]' all

# The words for files of one's own.
build/lanewise run halve.c @once.npy:halved.npy >out
grep -q '0.0, 0.25, 0.5, .*, 499.75\]$' out
