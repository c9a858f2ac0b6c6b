"""`python -m heedful` is `heedful`."""

from heedful.interfaces.cli.main import main

main()
