"""Python imports this at its start: a server for tests checks a password in no time, not in 0.85 s.

Only a server that a test starts has this folder on its path: no flag, file or variable leads a campaign's server here.
"""

from django.contrib.auth.hashers import PBKDF2PasswordHasher

PBKDF2PasswordHasher.iterations = 1
