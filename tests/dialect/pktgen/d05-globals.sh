#!/bin/bash
# The global-variable style: helpers that take everything from variables.
basedir=`dirname $0`
source ${basedir}/functions.sh
source ${basedir}/parameters.sh
source ${basedir}/config.sh
DELAY="0"
COUNT="0"
CLONE_SKB="64"
UDP_MIN=9
UDP_MAX=109
[ -z "$DEST_IP" ] && DEST_IP=10.10.10.1
[ -z "$DST_MAC" ] && DST_MAC=02:e2:ba:ff:ff:ff
min=0
max=$NUM_THREADS
remove_threads 0 15
create_threads 0 $NUM_THREADS
for num in `seq $min $max`; do
    PGDEV=/proc/net/pktgen/${DEV}@$num
    base_config
    set_dst_ip $DEST_IP
    set_udp_src_range $UDP_MIN $UDP_MAX
done
start_run
