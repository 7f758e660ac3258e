"""`ap.profile()`: what a block of a program did and when, as a page, a table and files for other viewers."""

from asnumpy.profiles._profile import Profile, profile

__all__ = ["Profile", "profile"]
