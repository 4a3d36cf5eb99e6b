"""Everything small: each kind of series, enumerated up to a size, with the answers of all of its worlds.

What is here is written from the definitions alone, and shares no code with the attacks that it judges.
"""
