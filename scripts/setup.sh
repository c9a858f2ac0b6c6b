#!/bin/sh
# Everything that `make tour`, `make test` and the rest need, in .venv: made once, and again only where
# uv.lock or pyproject.toml changed or the folder moved. Asks for Python 3.11 or later and nothing else:
# uv is used where it is on PATH, else a copy of it is fetched into .uv. No system or user folder is touched.
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/.."

STAMP=.venv/.set-up
PYTHONS='python3 python3.14 python3.13 python3.12 python3.11'

# What an active environment or a user's configuration would change about the set-up.
unset VIRTUAL_ENV CONDA_PREFIX PYTHONHOME PYTHONPATH UV_PROJECT_ENVIRONMENT UV_NO_DEV UV_SYSTEM_PYTHON
PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1
export PIP_USER PIP_DISABLE_PIP_VERSION_CHECK

say() { printf 'setup: %s\n' "$1" >&2; }
stop() { say "$1"; exit 1; }

is_set_up() {
    [ -f "$STAMP" ] && [ "$(cat "$STAMP")" = "$PWD" ] &&
        [ -z "$(find uv.lock pyproject.toml -newer "$STAMP")" ] &&
        .venv/bin/python -c 'import heedful' 2>/dev/null
}

is_recent_python() {
    command -v "$1" >/dev/null 2>&1 &&
        "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# Before 0.5 uv did not know the [dependency-groups] that the tests need.
is_recent_uv() {
    command -v uv >/dev/null 2>&1 || return 1
    case $(uv --version 2>/dev/null) in
        'uv 0.'[0-4].*) return 1 ;;
        'uv '*) return 0 ;;
        *) return 1 ;;
    esac
}

find_python() {
    for name in $PYTHONS; do
        if is_recent_python "$name"; then
            python=$name
            return 0
        fi
    done
    return 1
}

# The first Python that can make a folder for uv with pip in it; says what is missing where none can.
make_uv_folder() {
    for name in $PYTHONS; do
        is_recent_python "$name" || continue
        rm -rf .uv
        if output=$("$name" -m venv .uv 2>&1); then
            python=$name
            return 0
        fi
        [ -n "${first_output:-}" ] || { first_output=$output; first_name=$name; }
    done
    rm -rf .uv
    printf '%s\n' "$first_output" >&2
    case $first_output in
        *ensurepip* | *'No module named venv'*)
            version=$("$first_name" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
            say "$first_name cannot make a virtual environment: a part of Python is not installed."
            say "On Debian or Ubuntu install the package python3-venv (for this Python: python$version-venv):"
            say '    sudo apt install python3-venv'
            stop 'then run the same make command again.'
            ;;
        *) stop "$first_name -m venv failed; its own words are above." ;;
    esac
}

fetch_uv() {
    say 'uv is not on PATH (or too old): fetching a copy into .uv'
    make_uv_folder
    if ! .uv/bin/python -m pip install --quiet uv; then
        rm -rf .uv
        stop 'could not fetch uv from the package index: is there a network? The words of pip are above.'
    fi
}

if is_set_up; then
    exit 0
fi

# Moved here from another folder, or its Python is gone: nothing in it can be relied on.
if [ -e .venv ] && ! { grep -qF "$PWD/.venv" .venv/bin/activate && .venv/bin/python -c ''; } 2>/dev/null; then
    rm -rf .venv
fi

python=
if ! find_python && ! is_recent_uv; then
    stop "needs Python 3.11 or later; none of these is one: $PYTHONS. Install it (Debian, Ubuntu: sudo apt install python3 python3-venv; macOS: brew install python) and run the same make command again."
fi

if is_recent_uv; then
    uv=uv
else
    .uv/bin/uv --version >/dev/null 2>&1 || fetch_uv
    uv=.uv/bin/uv
fi

# A cache in a home that can't be written to would stop uv; then the cache lies beside the copy of uv.
cache=$("$uv" cache dir 2>/dev/null || :)
if [ -z "$cache" ] || ! mkdir -p "$cache" 2>/dev/null || [ ! -w "$cache" ]; then
    UV_CACHE_DIR=$PWD/.uv/cache
    export UV_CACHE_DIR
fi

say 'installing what uv.lock names into .venv'
"$uv" sync --locked --quiet --compile-bytecode ${python:+--python "$python"} ||
    stop 'uv could not install the locked packages; its own words are above.'
printf '%s\n' "$PWD" >"$STAMP"
say 'done'
