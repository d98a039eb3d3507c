"""The command `dpdescent`, as `python -m dpdescent`."""

from dpdescent.commands.__main__ import main

if __name__ == "__main__":
    main()
