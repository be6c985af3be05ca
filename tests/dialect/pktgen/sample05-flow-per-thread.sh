#!/bin/bash
# A source address for each thread.
source functions.sh
source parameters.sh
[ -z "$DST_MAC" ] && DST_MAC="02:e2:ba:ff:ff:ff"
[ -z "$CLONE_SKB" ] && CLONE_SKB="0"
[ -z "$BURST" ] && BURST=32
[ -z "$COUNT" ] && COUNT="0"
pg_ctrl "reset"
for ((thread = $F_THREAD; thread <= $L_THREAD; thread++)); do
    dev=${DEV}@${thread}
    pg_thread $thread "add_device" $dev
    pg_set $dev "flag QUEUE_MAP_CPU"
    pg_set $dev "flag UDPCSUM"
    pg_set $dev "count $COUNT"
    pg_set $dev "clone_skb $CLONE_SKB"
    pg_set $dev "pkt_size $PKT_SIZE"
    pg_set $dev "delay $DELAY"
    pg_set $dev "dst_mac $DST_MAC"
    pg_set $dev "dst 198.18.0.42"
    pg_set $dev "src_min 198.18.$((thread+1)).1"
    pg_set $dev "src_max 198.18.$((thread+1)).1"
    pg_set $dev "burst $BURST"
done
pg_ctrl "start"
