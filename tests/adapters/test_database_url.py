"""The URL of a database: what is one, what may be shown of it, and that nothing else of it ever is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.adapters.database_url import database_malformed, read_database_url
from heedful.kernel.errors import InvalidInputError
from heedful.settings import Settings

SECRET = "geheim-Zq9-密"
GOOD = [
    (f"postgresql://ana:{SECRET}@db.example:6432/heedful", "db.example:6432"),
    (f"postgres://ana:{SECRET}@db.example/heedful", "db.example:5432"),
    (f"postgresql://ana:{SECRET}%e5%af%86%25ff@db.example/heedful", "db.example:5432"),
    (f"postgresql://ana:{SECRET}%40x@[::1]:6432/heedful", "[::1]:6432"),
    (f"postgresql://a,b:{SECRET}@one:1,two:2/heedful", "one:1,two:2"),
    (f"postgresql:///heedful?host=/run/postgresql&port=6432&password={SECRET}", "/run/postgresql:6432"),
    (f"postgresql:///heedful?host=%2Frun%2Fpostgresql&user=ana&password={SECRET}", "/run/postgresql:5432"),
    ("postgresql://db.example", "db.example:5432"),
    ("postgresql://", "this machine"),
    (f"postgresql://ana:{SECRET}#x@db.example/heedful?sslmode=verify-full", "db.example:5432"),
    ("postgresql:///heedful?host=evil host", None),
    ("postgresql:///heedful?host=%1b[2J", "the host of its URL"),
]
MALFORMED = [
    "",
    "heedful",
    f"host=db.example password={SECRET}",
    f"mysql://ana:{SECRET}@db.example/heedful",
    f"postgresql://ana:{SECRET}@x@db.example/heedful",
    f"postgresql://ana:{SECRET}/x@db.example/heedful",
    f"postgresql://ana:12/{SECRET}@db.example/heedful",
    f"postgresql://ana:{SECRET}?x@db.example/heedful",
    f"postgresql://ana:{SECRET}%zz@db.example/heedful",
    f"postgresql://ana:{SECRET}%ff@db.example/heedful",
    f"postgresql://ana:{SECRET}%00@db.example/heedful",
    f"postgresql://ana:{SECRET}%ed%a0%80@db.example/heedful",
    f"postgresql://%ff:{SECRET}@db.example/heedful",
    f"postgresql://ana:{SECRET}@db.example/%c3",
    f"postgresql:///heedful?user=ana&password={SECRET}%ff",
    f"postgresql://ana:{SECRET}@db.example:port/heedful",
    f"postgresql://ana:{SECRET} x@db.example/heedful",
    f"postgresql://ana:{SECRET}\x00@db.example/heedful",
    f"postgresql://ana:{SECRET}\ud800@db.example/heedful",
    f"postgresql://ana:{SECRET}@db.example/heedful?password",
    f"postgresql://ana:{SECRET}@db.example/{'x' * 5_000}",
]


@pytest.mark.parametrize(("text", "place"), GOOD)
def test_host_and_port_are_shown_and_nothing_else(text: str, place: str | None) -> None:
    """The place of an error; the rest stays where it was given. A URL whose host is no host has no place to show."""
    if place is None:
        with pytest.raises(InvalidInputError):
            read_database_url(text)
        return
    url = read_database_url(text)
    assert (url.text, url.place) == (text, place)
    assert SECRET not in repr(url)


@pytest.mark.parametrize("text", MALFORMED, ids=range(len(MALFORMED)))
def test_what_is_no_url_is_malformed_and_not_shown(text: str) -> None:
    """A password with a character that moves the host would be shown as a host: it has to be written in percent."""
    with pytest.raises(InvalidInputError) as caught:
        read_database_url(text)
    assert caught.value.code == "database_malformed"
    assert "%40" in caught.value.next_step
    assert "geheim" not in str(caught.value.to_dict())


@given(password=st.text(min_size=4), host=st.sampled_from(["db.example", "127.0.0.1", ""]))
def test_no_password_is_shown_whatever_it_is(password: str, host: str) -> None:
    """Any text in its place: the URL is malformed, or its place is the host's alone."""
    text = f"postgresql://ana:{password}@{host}:6432/heedful"
    try:
        place = read_database_url(text).place
    except InvalidInputError as error:
        place = error.message
    assert place in {f"{host}:6432", "this machine", database_malformed().message}


def test_settings_do_not_show_their_database() -> None:
    """A log or a trace that has them has no password; what is set is read all the same."""
    settings = Settings.from_environment({"HEEDFUL_DATABASE": GOOD[0][0], "HEEDFUL_TENANT": "acme"})
    assert settings.database == GOOD[0][0]
    assert SECRET not in repr(settings)
    assert "acme" in repr(settings)
