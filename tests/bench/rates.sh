#!/bin/sh
# Rates over ten seconds on a wire, each in a lab of its own, at burst 1, 32 and 256: the packets that left are within
# 0.1 % or one packet of what was asked, and nothing was forgiven. About a minute; needs an idle machine and
# no rights. Usage: tests/bench/rates.sh [path of a release build of txdeck]
set -u
txdeck=${1:-target/release/txdeck}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# one RATE BURST PACKETS: a run whose result and expectations land in a file of its own.
one() {
    slack=$(($3 / 1000))
    [ "$slack" -ge 1 ] || slack=1
    "$txdeck" run udp-64 --lab -q --json --duration 10s -s "rate=$1" -s "burst=$2" -s chunks=512 \
        --expect "left>=$(($3 - slack))" --expect "left<=$(($3 + slack))" --expect shortfall=0 \
        >"$folder/$3.$2" 2>&1
    echo "exit $?" >>"$folder/$3.$2"
}

# figure NAME FILE: the first number behind a name in the result.
figure() { sed -n "s/.*\"$1\":{*\(\"packets\":\)*\([0-9.]*\).*/\2/p" "$2" | head -n 1; }

tell() {
    file=$folder/$3.$2
    code=$(sed -n 's/^exit //p' "$file")
    printf '%-10s %5s %8s %8s %9s %12s %5s\n' "$1" "$2" "$3" "$(figure left "$file")" "$(figure shortfall "$file")" \
        "$(figure elapsed_s "$file")" "$code"
    if [ "$code" != 0 ]; then
        grep -v '^{' "$file"
        failed=1
    fi
}

printf '%-10s %5s %8s %8s %9s %12s %5s\n' rate burst due left shortfall elapsed_s exit
for burst in 1 32 256; do
    # The slow ones cost next to nothing, so they run side by side.
    one 0.5 $burst 5 &
    one 10 $burst 100 &
    one 1000 $burst 10000 &
    wait
    one 50000 $burst 500000
    one "8 Mbit/s" $burst 166667
    tell 0.5 $burst 5
    tell 10 $burst 100
    tell 1000 $burst 10000
    tell 50000 $burst 500000
    tell "8 Mbit/s" $burst 166667
done
exit $failed
