"""The errors in Chinese, by their English templates (errors.py), a file for each room.

Every template has an entry with the same {placeholders}; {s}, the English plural, needs none.
"""

from attncli.language.errors.check import CHECK
from attncli.language.errors.commands import COMMANDS
from attncli.language.errors.config import CONFIG
from attncli.language.errors.files import FILES
from attncli.language.errors.hub import HUB
from attncli.language.errors.requests import REQUESTS
from attncli.language.errors.text import TEXT
from attncli.language.errors.weights import WEIGHTS

ERRORS = {**COMMANDS, **CHECK, **HUB, **REQUESTS, **TEXT, **FILES, **CONFIG, **WEIGHTS}
