# expect: f-string.py:3:27: a text with { } parts (f"…") is not read: write the text itself
def register():
    return STLStream(name=f"a{1}")
