#!/bin/bash
# Clones and bursts together, on one thread more than -t says.
basedir=`dirname $0`
source ${basedir}/functions.sh
source ${basedir}/parameters.sh
DELAY="0"
COUNT="0"
[ -z "$CLONE_SKB" ] && CLONE_SKB="100000"
[ -z "$DEST_IP" ] && DEST_IP="198.18.0.42"
[ -z "$DST_MAC" ] && DST_MAC="02:e2:ba:ff:ff:ff"
[ -z "$BURST" ] && BURST=0
pg_ctrl "reset"
for thread in `seq 0 $NUM_THREADS`; do
    dev=${DEV}@${thread}
    pg_thread $thread "rem_device_all"
    pg_thread $thread "add_device" $dev
    pg_set $dev "flag QUEUE_MAP_CPU"
    pg_set $dev "flag UDPCSUM"
    pg_set $dev "count $COUNT"
    pg_set $dev "clone_skb $CLONE_SKB"
    pg_set $dev "pkt_size $PKT_SIZE"
    pg_set $dev "delay $DELAY"
    pg_set $dev "dst_mac $DST_MAC"
    pg_set $dev "dst $DEST_IP"
    pg_set $dev "burst $BURST"
done
start_run
