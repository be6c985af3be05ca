# expect: nested or called deeper than 100
def f(x):
    return f(x + 1)
def register():
    return f(1)
