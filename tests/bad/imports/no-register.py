# expect: neither register() nor a class with get_streams()
x = 1
