#!/bin/bash
# Threads on the CPUs of the device's node, a queue and an interrupt each.
source functions.sh
source parameters.sh
[ -z "$COUNT" ] && COUNT="20000000"
[ -z "$CLONE_SKB" ] && CLONE_SKB="0"
[ -z "$DST_MAC" ] && DST_MAC="02:e2:ba:ff:ff:ff"
node=`get_iface_node $DEV`
irq_array=(`get_iface_irqs $DEV`)
cpu_array=(`get_node_cpus $node`)
[ $THREADS -gt ${#irq_array[*]} -o $THREADS -gt ${#cpu_array[*]}  ] && \
	err 1 "Thread number $THREADS exceeds: min (${#irq_array[*]},${#cpu_array[*]})"
pg_ctrl "reset"
for ((i = 0; i < $THREADS; i++)); do
    thread=${cpu_array[$((i+F_THREAD))]}
    dev=${DEV}@${thread}
    echo $thread > /proc/irq/${irq_array[$i]}/smp_affinity_list
    info "irq ${irq_array[$i]} is set affinity to `cat /proc/irq/${irq_array[$i]}/smp_affinity_list`"
    pg_thread $thread "add_device" $dev
    queue_num=$i
    pg_set $dev "queue_map_min $queue_num"
    pg_set $dev "queue_map_max $queue_num"
    pg_set $dev "count $COUNT"
    pg_set $dev "clone_skb $CLONE_SKB"
    pg_set $dev "pkt_size $PKT_SIZE"
    pg_set $dev "delay $DELAY"
    pg_set $dev "flag UDPCSUM"
    pg_set $dev "dst_mac $DST_MAC"
    pg_set $dev "dst$IP6 198.18.0.42"
done
pg_ctrl "start"
for ((i = 0; i < $THREADS; i++)); do
    cat /proc/net/pktgen/${DEV}@${cpu_array[$((i+F_THREAD))]} | grep -A2 "Result:"
done
