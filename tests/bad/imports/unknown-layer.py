# expect: unknown-layer.py:3:55: VXLAN() is no layer known here
def register():
    return STLStream(packet=STLPktBuilder(pkt=Ether()/VXLAN(vni=3)))
