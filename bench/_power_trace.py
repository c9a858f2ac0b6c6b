"""A trace of system calls, by strace, and its lines as calls. What can't be read fails: nothing is passed over."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

WRITER = Path(__file__).with_name("_power_writer.py")
TRACE_SECONDS_MAX = 300
TEXT_BYTES_MAX = 4_000_000
"""Of what one call writes; a longer one is cut by strace, and the trace is refused."""
# Calls that change no file, and come often. All others are traced, so that a new one is seen.
_NOT_TRACED = "read,pread64,futex,munmap,mprotect,brk,stat,lstat,fstat,newfstatat,getdents64"
# They change no file, or only its mode, owner and times, on which nothing rests.
HARMLESS = frozenset(
    name
    for line in (
        "access arch_prctl chmod clock_getres clock_gettime clock_nanosleep connect epoll_create1 epoll_ctl",
        "epoll_pwait epoll_wait eventfd2 execve exit exit_group faccessat faccessat2 fadvise64 fchmod fchown flock",
        "fstatfs get_mempolicy getcpu getcwd getegid geteuid getgid getgroups getpeername getpgrp getpid getppid",
        "getpriority getrandom getrlimit getrusage getsockname getsockopt gettid gettimeofday getuid getxattr ioctl",
        "lgetxattr listxattr madvise mbind membarrier mincore mlock mremap munlock nanosleep personality pipe2 poll",
        "ppoll prctl prlimit64 pselect6 readlink readlinkat recvfrom recvmsg restart_syscall rseq rt_sigaction",
        "rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait sched_get_priority_max",
        "sched_get_priority_min sched_getaffinity sched_getparam sched_getscheduler sched_yield select sendmsg sendto",
        "set_mempolicy set_robust_list set_tid_address setsockopt sigaltstack socket socketpair statfs statx sysinfo",
        "tgkill time times umask uname utimensat wait4",
    )
    for name in line.split(" ")
)
_LINE = re.compile(r"(\d+) +(.*)", re.DOTALL)
_UNFINISHED = re.compile(r"(\w+)\((.*) <unfinished \.\.\.>")
_RESUMED = re.compile(r"<\.\.\. (\w+) resumed>(.*)")
_CALL = re.compile(r"(\w+)\((.*)\) += (-?\d+|0x[0-9a-f]+|\?)(?: .*)?")


class TraceError(Exception):
    """The trace has something that the model does not know, so no crash state can be built from it."""


@dataclass(frozen=True, slots=True)
class Call:
    """One system call.

    Attributes:
        arguments: as strace prints them, all texts in hex.
        result: below 0 where it failed.
        start: number of the line on which it began; others may lie between that and `end`.
    """

    name: str
    arguments: tuple[str, ...]
    result: int
    start: int
    end: int

    def text(self, index: int) -> bytes:
        """The bytes of an argument that is a text.

        Raises:
            TraceError: it is none, or was cut.
        """
        shown = self.arguments[index]
        if not (shown.startswith('"') and shown.endswith('"')):
            raise TraceError(f"{self.name} in line {self.end}: its text was cut: {shown[-20:]}")
        return bytes.fromhex(shown[1:-1].replace("\\x", ""))

    def number(self, index: int) -> int:
        """An argument that is a number."""
        return int(self.arguments[index], 0)


def require_strace() -> str:
    """Where strace is.

    Raises:
        TraceError: it is not installed; the message says what to do.
    """
    found = shutil.which("strace")
    if found is None:
        raise TraceError(
            "strace is missing: `apt-get install strace` (Debian, Ubuntu); power cuts can't be tried without"
        )
    return found


def trace(
    folder: Path, variant: str, *, inject: tuple[str, ...] = ()
) -> tuple[Path, subprocess.CompletedProcess[bytes]]:
    """The trace of one writer in a new folder `folder/work`, and how the writer ended.

    `inject`: faults for strace to make, each as its option `-e inject=` takes them.

    Raises:
        TraceError: strace is missing.
    """
    (folder / "work").mkdir(parents=True)
    path = folder / "trace.txt"
    faults = [option for fault in inject for option in ("-e", f"inject={fault}")]
    command = [
        *(require_strace(), "-f", "-qq", "--seccomp-bpf", "-xx", "-s", str(TEXT_BYTES_MAX), "-o", str(path)),
        *("-e", f"trace=!{_NOT_TRACED}", *faults),
        *(sys.executable, str(WRITER), str(folder / "work"), variant),
    ]
    ended = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=TRACE_SECONDS_MAX)
    return path, ended


def calls(path: Path) -> Iterator[Call]:
    """The calls of a trace in the order in which they ended.

    Raises:
        TraceError: a line is none that strace prints of calls.
    """
    begun: dict[str, tuple[int, str]] = {}
    with path.open(encoding="ascii") as lines:
        for number, line in enumerate(lines):
            found = _LINE.fullmatch(line.rstrip("\n"))
            if found is None:
                raise TraceError(f"line {number} is not understood: {line[:80]}")
            thread, rest = found.groups()
            if rest.startswith(("+++", "---")):  # a thread's end, a signal
                continue
            start = number
            if unfinished := _UNFINISHED.fullmatch(rest):
                begun[thread] = (number, f"{unfinished[1]}({unfinished[2]}")
                continue
            if resumed := _RESUMED.fullmatch(rest):
                start, first = begun.pop(thread)
                rest = first + resumed[2]
            yield _call(rest, start, number)


def _call(text: str, start: int, end: int) -> Call:
    found = _CALL.fullmatch(text)
    if found is None:
        raise TraceError(f"line {end} is not understood: {text[:80]}")
    name, arguments, result = found.groups()
    # Without a result it was still under way when the process ended: exit and the like.
    value = -1 if result == "?" else int(result, 0)
    return Call(name, tuple(part.strip() for part in arguments.split(",")), value, start, end)
