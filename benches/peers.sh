#!/usr/bin/env bash
# Times `unwaited` beside ripgrep, ruff and ast-grep over trees of public packages, and prints medians, ratios and peak
# memory as a table.
#
#   benches/peers.sh [-r ROUNDS] [-b BINARY] [FOLDER]
#
# FOLDER keeps what is downloaded (about 1 GB) and unpacked (about 1 GB); the next run takes it from there. Without FOLDER
# all goes to a temporary folder that is removed at the end. BINARY is built with `cargo build --release` if it is not given.
#
# A tree is a folder of Python files:
#   plain      packages without communication, without the files that contain a word that unwaited looks for
#   mixed      all packages, and the standard library
#   speaking   the files of `mixed` that contain such a word: those that are parsed
#   one        a file of five lines
#   sixteenth, quarter: every 16th and every 4th file of `mixed`
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
rounds=7
binary=

while getopts r:b: option; do
    case $option in
        r) rounds=$OPTARG ;;
        b) binary=$(realpath "$OPTARG") ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))

if [ $# -gt 0 ]; then
    mkdir -p "$1"
    folder=$(cd "$1" && pwd)
else
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi

# The lines of the pins that begin with one of these words, without comments.
pins() { awk -v sets=" $* " '$1 !~ /^#/ && index(sets, " " $1 " ")' "$here/peers.txt"; }

install_tools() {
    [ -x "$folder/tools/bin/ruff" ] && return
    python3 -m venv "$folder/tools"
    pins tools | awk '{ print $2 }' | xargs "$folder/tools/bin/pip" install --quiet
}

# The wheel of a platform, whatever this machine is: only Python files are taken from it.
download() {
    local package=$1 platform=$2 to=$3
    local wheel=(--only-binary :all: --python-version 3.11)
    local version
    case $platform in
        any) ;;
        source) wheel=() ;;
        macos) wheel+=(--platform macosx_14_0_arm64) ;;
        manylinux)
            wheel+=(--platform manylinux2014_x86_64 --platform manylinux1_x86_64)
            for version in 2_34 2_28 2_27 2_24; do wheel+=(--platform "manylinux_${version}_x86_64"); done
            ;;
    esac
    DS_BUILD_OPS=0 "$folder/tools/bin/pip" download --quiet --no-deps --dest "$to" "${wheel[@]}" "$package"
}

# Unpacks the Python files of a package.
unpack() {
    local package=$1 platform=$2
    local to=$folder/packages/$package
    [ -d "$to" ] && return
    echo "unpacking $package" >&2
    local wheels
    wheels=$(mktemp -d "$folder/download.XXXXXX")
    download "$package" "$platform" "$wheels"
    python3 - "$wheels" "$to.part" <<'PYTHON'
import pathlib, sys, tarfile, zipfile

archive = next(pathlib.Path(sys.argv[1]).iterdir())
target = pathlib.Path(sys.argv[2])

def write(name, content):
    path = target / name
    if name.endswith(".py") and target in path.resolve().parents:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

if archive.suffix == ".whl":
    with zipfile.ZipFile(archive) as wheel:
        for name in wheel.namelist():
            if name.endswith(".py"):
                write(name, wheel.read(name))
else:
    with tarfile.open(archive) as source:
        for member in source:
            if member.isfile():
                write(member.name, source.extractfile(member).read())
PYTHON
    mv "$to.part" "$to"
    rm -rf "$wheels"
}

unpack_library() {
    local to=$folder/packages/library
    [ -d "$to" ] && return
    local library
    library=$(python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
    (cd "$library" && find . -name '*.py' -not -path '*-packages/*' -print0 | tar cf - --null -T -) |
        (mkdir -p "$to.part" && cd "$to.part" && tar xf -)
    mv "$to.part" "$to"
}

# Links the files of a list, one path a line below `packages`, into a tree.
plant() {
    python3 -c '
import os, sys
for name in map(str.strip, sys.stdin):
    path = os.path.join(sys.argv[1], name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.link(name, path)
' "$folder/trees/$1"
}

plant_all() {
    cd "$folder/packages"
    find . -name '*.py' -type f | sort >"$folder/all"
    # A call that counts only with a flag is no word: few files are parsed for one alone.
    "$folder/tools/bin/rg" -l -F -f "$folder/words" -g '*.py' --no-ignore . | sort >"$folder/with"
    rm -rf "$folder/trees"
    plant mixed <"$folder/all"
    plant speaking <"$folder/with"
    local plain
    plain=$(pins plain | awk '{ printf "%s./%s/", sep, $2; sep = "|" }')
    comm -23 "$folder/all" "$folder/with" | awk -v plain="$plain" '
        BEGIN { split(plain, all, "|") }
        { for (i in all) if (index($0, all[i]) == 1) print }' | plant plain
    awk 'NR % 16 == 0' "$folder/all" | plant sixteenth
    awk 'NR % 4 == 0' "$folder/all" | plant quarter
    mkdir -p "$folder/trees/one"
    printf 'import torch.distributed as dist\n\n\ndef send(x):\n    dist.isend(x, 1).wait()\n' >"$folder/trees/one/one.py"
    cd "$here"
}

describe() {
    local tree files
    echo "$(date -u +%Y-%m-%d), $(nproc) processors, medians of $rounds rounds, everything in the page cache"
    echo "unwaited $("$binary" --version | awk '{ print $2 }'), $(pins tools | awk '{ printf "%s%s", sep, $2; sep = ", " }')"
    echo
    for tree in plain mixed speaking; do
        files=$(find "$folder/trees/$tree" -name '*.py' | wc -l)
        echo "- $tree: $files files, $(find "$folder/trees/$tree" -name '*.py' -printf '%s\n' |
            awk '{ sum += $1 } END { printf "%.0f MB", sum / 1e6 }')"
    done
    echo
}

# What is timed: a tree, a name, what runs before the first round, and the command. The first of a tree is what the others
# are compared with.
list_commands() {
    local tools=$folder/tools/bin trees=$folder/trees memory=$folder/memory
    local rg="$tools/rg -l -F -f $folder/patterns -g *.py"
    local ruff="$tools/ruff check --isolated --quiet --exit-zero --select RUF006"
    local ours="$binary check --isolated --quiet --exit-zero"
    local tree
    for tree in plain mixed speaking quarter sixteenth; do
        echo "$tree	rg -l	$rg $trees/$tree"
        echo "$tree	rg -l -j1	$rg -j1 $trees/$tree"
        echo "$tree	unwaited --no-cache	$ours --no-cache $trees/$tree"
        echo "$tree	unwaited --no-cache --jobs 1	$ours --no-cache --jobs 1 $trees/$tree"
        echo "$tree	unwaited, cache warm	$ours --cache-dir $memory/ours-$tree $trees/$tree"
        case $tree in plain | mixed | speaking)
            echo "$tree	ruff --no-cache	$ruff --no-cache $trees/$tree"
            echo "$tree	ruff, cache warm	$ruff --cache-dir $memory/ruff-$tree $trees/$tree"
            ;;
        esac
        case $tree in mixed)
            echo "$tree	ast-grep	$tools/ast-grep run --lang python --pattern \$X.isend(\$\$\$) $trees/$tree"
            ;;
        esac
    done
    echo "one	true	true"
    echo "one	rg -l	$rg $trees/one/one.py"
    echo "one	unwaited --no-cache	$ours --no-cache $trees/one/one.py"
    echo "one	ruff --no-cache	$ruff --no-cache $trees/one/one.py"
}

if [ -z "$binary" ]; then
    (cd "$here/.." && cargo build --release --locked --quiet)
    binary=$here/../target/release/unwaited
fi
install_tools
mkdir -p "$folder/packages"
pins plain other | while read -r _ package platform; do unpack "$package" "$platform"; done
unpack_library
"$binary" apis --isolated --words >"$folder/told"
awk 'NF == 1' "$folder/told" >"$folder/words"
awk '{ print $1 }' "$folder/told" >"$folder/patterns"
plant_all
rm -rf "$folder/memory"
describe
list_commands >"$folder/commands"
python3 "$here/peers_timing.py" "$rounds" "$folder/commands"
