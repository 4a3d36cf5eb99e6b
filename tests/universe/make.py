"""Write the recorded answers anew: `python -m tests.universe.make`, about a minute."""

import sys
import time

from tests.universe.record import FILE, write

if __name__ == "__main__":
    started = time.monotonic()
    written = write()
    sys.stdout.write(f"{FILE.name}: {written:,} series in {time.monotonic() - started:.0f} s\n")
