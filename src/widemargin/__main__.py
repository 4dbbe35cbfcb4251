"""`python -m widemargin` is `wm`."""

import sys

from widemargin.cli import main

sys.exit(main())
