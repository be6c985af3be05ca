# expect: get_streams() returns 5 and not STLStream(…)
def register():
    return 5
