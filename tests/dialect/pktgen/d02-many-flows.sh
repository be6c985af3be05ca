#!/bin/bash
# Eight thousand flows of ten packets each, from random sources.
basedir=`dirname $0`
source ${basedir}/functions.sh
source ${basedir}/parameters.sh
[ -z "$DEST_IP" ]   && DEST_IP="198.18.0.42"
[ -z "$DST_MAC" ]   && DST_MAC="02:e2:ba:ff:ff:ff"
[ -z "$CLONE_SKB" ] && CLONE_SKB="0"
[ -z "$COUNT" ]     && COUNT="80000"
[ -z "$FLOWS" ]     && FLOWS="8000"
[ -z "$FLOWLEN" ]   && FLOWLEN="10"

if [[ -n "$BURST" ]]; then
    err 1 "Bursting not supported for this mode"
fi
read -r SRC_MIN SRC_MAX <<< $(parse_addr 198.18.0.0/15)

pg_ctrl "reset"
for ((thread = $F_THREAD; thread <= $L_THREAD; thread++)); do
    dev=${DEV}@${thread}
    pg_thread $thread "rem_device_all"
    pg_thread $thread "add_device" $dev
    pg_set $dev "flag QUEUE_MAP_CPU"
    pg_set $dev "count $COUNT"
    pg_set $dev "clone_skb $CLONE_SKB"
    pg_set $dev "pkt_size $PKT_SIZE"
    pg_set $dev "delay $DELAY"
    pg_set $dev "dst_mac $DST_MAC"
    pg_set $dev "dst_min $DEST_IP"
    pg_set $dev "flag UDPCSUM"
    pg_set $dev "flag IPSRC_RND"
    pg_set $dev "src_min $SRC_MIN"
    pg_set $dev "src_max $SRC_MAX"
    pg_set $dev "flows $FLOWS"
    pg_set $dev "flowlen $FLOWLEN"
    pg_set $dev "flag FLOW_SEQ"
done
pg_ctrl "start"
