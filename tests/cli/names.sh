# names.sh - each name of Lanewise in the tables of docs/coming-from-cuda.md is one of its headers'.
set -eu

# The headers without their comments.
for header in kernel.h kernel_maths.h warp_ops.def lanewise.h device.h launch.h; do
    cat "$SOURCE/include/lanewise/$header"
done | awk '
    {
        gsub(/\/\*([^*]|\*[^\/])*\*\//, "")
        if (inside && sub(/^.*\*\//, "")) inside = 0
        if (!inside && sub(/\/\*.*/, "")) { print; inside = 1 }
        if (!inside) print
    }' >declared

# names PAGE - those in the second column: every word between backticks
names()
{
    awk -F'|' '/^\| / {
        gsub(/[^`]*`/, "&\n", $3)
        for (n = split($3, part, "`"); n > 1; n--)
            if (n % 2 == 0) { gsub(/\n/, "", part[n]); print part[n] }
    }' "$1" | sort -u
}

# missing PAGE - the names that no header has. Types of short vectors are made of two words there.
missing()
{
    names "$1" | while read -r name; do
        case $name in
        const | restrict) continue ;;
        float[234]) grep -q 'LW__VECTORS(float, float)' declared && continue ;;
        esac
        grep -qw -- "$name" declared || echo "$name"
    done
}

[ "$(names "$SOURCE/docs/coming-from-cuda.md" | wc -l)" -ge 90 ]
missing "$SOURCE/docs/coming-from-cuda.md" >wrong
cat wrong
[ ! -s wrong ]

# A name that is not there is found.
printf '| a | `barrier` `lw_buffer_turn` `warp_add` | |\n' >page.md
[ "$(missing page.md | tr '\n' ' ')" = 'lw_buffer_turn warp_add ' ]

# What messages say of CUDA's, OpenCL's and Mojo's names.
sed -n 's/^    {"[^"]*", "\(.*\)"},$/\1/p' "$SOURCE/src/compile/front/foreign_names.c" |
    grep -o '[a-z_]*(' | tr -d '(' | sort -u >ours
[ "$(wc -l <ours)" -ge 25 ]
while read -r name; do
    grep -qw -- "$name" declared || echo "$name"
done <ours >wrong
cat wrong
[ ! -s wrong ]
