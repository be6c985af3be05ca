# expect: this does not end soon: it is a program, not a declaration
def f(x):
    for a in range(20000):
        for b in range(20000):
            x = b
    return x
def register():
    return f(1)
