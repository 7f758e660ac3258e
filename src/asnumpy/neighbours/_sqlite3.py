"""A Number that is stored in a database is stored as the number that it is: by itself sqlite3 would take its bytes."""

from __future__ import annotations

import sqlite3

from asnumpy.array.number import BoolNumber, FloatNumber, IntegerNumber

sqlite3.register_adapter(BoolNumber, int)
sqlite3.register_adapter(IntegerNumber, int)
sqlite3.register_adapter(FloatNumber, float)
