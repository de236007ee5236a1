"""What lower rooms say in English templates, in Chinese: errors, notes, what families are."""

from attncli.language.errors import ERRORS
from attncli.language.families import FAMILIES
from attncli.language.notes import NOTES

CHINESE = {**ERRORS, **NOTES, **FAMILIES}
