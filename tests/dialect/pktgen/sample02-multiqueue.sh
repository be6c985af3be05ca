#!/bin/bash
# A queue for each thread, in append mode if wanted.
basedir=$(dirname $0)
. ${basedir}/functions.sh
. ${basedir}/parameters.sh
DELAY="0"
[ -z "$COUNT" ] && COUNT="100000"
[ -z "$CLONE_SKB" ] && CLONE_SKB="0"
UDP_SRC_MIN=9
UDP_SRC_MAX=109
[ -z "$DEST_IP" ] && DEST_IP=198.18.0.42
[ -z "$DST_MAC" ] && DST_MAC="02:e2:ba:ff:ff:ff"
[ -z "$APPEND" ] && pg_ctrl "reset"
for ((thread = $F_THREAD; thread <= $L_THREAD; thread++)); do
    dev=${DEV}@${thread}
    [ -z "$APPEND" ] && pg_thread $thread "rem_device_all"
    pg_thread $thread "add_device" $dev
    pg_set $dev "queue_map_min $thread"
    pg_set $dev "queue_map_max $thread"
    pg_set $dev "count $COUNT"
    pg_set $dev "clone_skb $CLONE_SKB"
    pg_set $dev "pkt_size $PKT_SIZE"
    pg_set $dev "delay $DELAY"
    pg_set $dev "flag NO_TIMESTAMP"
    pg_set $dev "flag UDPCSUM"
    pg_set $dev "dst_mac $DST_MAC"
    pg_set $dev "dst_min $DEST_IP"
    pg_set $dev "dst_max $DEST_IP"
    pg_set $dev "flag UDPSRC_RND"
    pg_set $dev "udp_src_min $UDP_SRC_MIN"
    pg_set $dev "udp_src_max $UDP_SRC_MAX"
done
if [ -z "$APPEND" ]; then
    pg_ctrl "start"
fi
