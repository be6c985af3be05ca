# expect: UDP() has no field "port" here (sport, dport, len, chksum)
def register():
    return STLStream(packet=STLPktBuilder(pkt=Ether()/IP()/UDP(port=3)))
