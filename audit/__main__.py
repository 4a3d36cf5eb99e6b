"""`python -m audit` is the command `audit`."""

import sys

from audit.cli.entry import main

sys.exit(main())
