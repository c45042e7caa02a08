"""``python -m sciverify`` is the command line."""

import sys

from sciverify.cli import main

sys.exit(main())
