# expect: bad-indent.py:4:4: this line is indented like none above it
class A:
      x = 1
   y = 2
