echo "reset" > /proc/net/pktgen/pgctrl
echo "rem_device_all" > /proc/net/pktgen/kpktgend_0
echo "add_device eth1" > /proc/net/pktgen/kpktgend_0
echo "count 150000" > /proc/net/pktgen/eth1
echo "pkt_size 1460" > /proc/net/pktgen/eth1
echo "src_min 198.18.0.1" > /proc/net/pktgen/eth1
echo "src_max 198.18.0.1" > /proc/net/pktgen/eth1
echo "dst_min 198.18.1.1" > /proc/net/pktgen/eth1
echo "dst_max 198.18.1.200" > /proc/net/pktgen/eth1
echo "flag IPDST_RND" > /proc/net/pktgen/eth1
echo "src_mac 02:00:00:00:00:01" > /proc/net/pktgen/eth1
echo "dst_mac 02:00:00:00:00:05" > /proc/net/pktgen/eth1
echo "udp_src_min 5000" > /proc/net/pktgen/eth1
echo "udp_src_max 5000" > /proc/net/pktgen/eth1
echo "udp_dst_min 6000" > /proc/net/pktgen/eth1
echo "udp_dst_max 6000" > /proc/net/pktgen/eth1
ip link set eth1 up
echo "start" > /proc/net/pktgen/pgctrl
